import type { OperatorClientsClient, OperatorConnectionsClient } from '@tributary/contracts';

/** The internal APIs of the other services that only operators use. */
export interface OperatorServices {
  clients: Pick<OperatorClientsClient, 'list' | 'find' | 'setDisabled'>;
  connections: Pick<OperatorConnectionsClient, 'countUsers'>;
}
