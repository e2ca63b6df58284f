import { collectionQueueState } from '@tributary/contracts';
import type { Api } from '@tributary/service-kit';
import type { Dependencies } from '../dependencies';
import { commonOf, noOperator, operatorPath } from './operator-common';

/** The queue of collections. */
export function serveOperatedQueue(api: Api, dependencies: Dependencies): void {
  api.route(
    {
      ...commonOf(dependencies).reads,
      path: operatorPath('queue'),
      operationId: 'operatorReadQueue',
      summary: 'What collections wait for',
      responses: { 200: { description: 'The counts of now.', schema: collectionQueueState }, 404: noOperator },
    },
    ({ requestId }) => dependencies.operator.connections.queue({ requestId }),
  );
}
