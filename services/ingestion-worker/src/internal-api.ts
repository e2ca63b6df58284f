import { KeysStatusReader, serveKeysStatus } from '@tributary/key-providers';
import { Api, type ApiOptions, type ServiceKeys, serviceErrorFormat } from '@tributary/service-kit';
import type { Collector } from './collector';

export interface InternalApiDependencies {
  collector: Pick<Collector, 'kek' | 'keys'>;
  serviceKeys: ServiceKeys;
  log: ApiOptions['log'];
}

/** The API for the console; its client is `OperatorKeysClient` of contracts. */
export function internalApi({ collector: { kek, keys }, serviceKeys, log }: InternalApiDependencies): Api {
  const api = new Api({
    title: 'ingestion-worker, internal',
    description: 'For other services.',
    serverUrl: '',
    errorFormat: serviceErrorFormat,
    log,
    audit: { none: 'no answer has data of a user' },
    documentation: { serviceKeys },
  });
  serveKeysStatus(api, { serviceKeys, keys: new KeysStatusReader(kek, keys) });
  return api;
}
