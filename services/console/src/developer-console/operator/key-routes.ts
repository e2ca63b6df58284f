import { InternalCallError } from '@tributary/contracts';
import { type Api, describeError } from '@tributary/service-kit';
import type { Dependencies } from '../dependencies';
import { commonOf, noOperator, operatorPath } from './operator-common';
import { type KeysOfService, type KeysProblem, keysList } from './operator-schemas';

/** The key-encryption keys of the services that have one. */
export function serveOperatedKeys(api: Api, dependencies: Dependencies): void {
  const { log } = dependencies;
  const { keys } = dependencies.operator;

  const keysOf = async (service: string, requestId: string): Promise<KeysOfService> => {
    try {
      return { service, status: await keys[service]!.status({ requestId }) };
    } catch (error) {
      log.warn({ service, err: describeError(error) }, 'the status of keys is not known');
      return { service, problem: problemOf(error) };
    }
  };

  api.route(
    {
      ...commonOf(dependencies).reads,
      path: operatorPath('keys'),
      operationId: 'operatorListKeys',
      summary: 'Per service: the versions of its key-encryption key, and how many keys each has wrapped',
      description: 'No answer has key material.',
      responses: { 200: { description: 'All services that wrap keys.', schema: keysList }, 404: noOperator },
    },
    async ({ requestId }) => ({
      entry: await Promise.all(Object.keys(keys).map((service) => keysOf(service, requestId))),
    }),
  );
}

function problemOf(error: unknown): KeysProblem {
  if (!(error instanceof InternalCallError)) return 'failed';
  if (error.isNotConnected) return 'unreachable';
  if (error.status === 404) return 'unsupported';
  return [401, 403].includes(error.status) ? 'refused' : 'failed';
}
