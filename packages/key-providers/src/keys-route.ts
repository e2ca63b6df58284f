import { countedKeysStatus } from '@tributary/contracts';
import { type Api, type ServiceKeys, serviceKeyAuthentication } from '@tributary/service-kit';
import type { KeysStatusReader } from './keys-status';

/** The part of the internal API of a service that shows the status of its keys to operators in the console. */
export function serveKeysStatus(
  api: Api,
  { serviceKeys, keys }: { serviceKeys: ServiceKeys; keys: Pick<KeysStatusReader, 'status'> },
): void {
  api.route(
    {
      method: 'get',
      path: '/internal/v1/operator/keys',
      operationId: 'operatorReadKeys',
      summary: 'The versions of the key-encryption key, and how many keys each has wrapped',
      authentication: serviceKeyAuthentication(serviceKeys, ['console']),
      audit: { none: 'the console records what an operator reads, which is no data of a user' },
      responses: { 200: { description: 'The versions of now.', schema: countedKeysStatus } },
    },
    () => keys.status(),
  );
}
