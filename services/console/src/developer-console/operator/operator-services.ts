import type { OperatorClientsClient, OperatorConnectionsClient, OperatorDirectoryClient } from '@tributary/contracts';

/** The internal APIs of the other services that only operators use. */
export interface OperatorServices {
  clients: Pick<OperatorClientsClient, keyof OperatorClientsClient>;
  connections: Pick<OperatorConnectionsClient, keyof OperatorConnectionsClient>;
  directory: Pick<OperatorDirectoryClient, keyof OperatorDirectoryClient>;
}
