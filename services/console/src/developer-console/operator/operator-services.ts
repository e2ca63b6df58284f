import type {
  OperatorAuditClient,
  OperatorClientsClient,
  OperatorConnectionsClient,
  OperatorDirectoryClient,
  OperatorKeysClient,
  ReadinessClient,
} from '@tributary/contracts';

/** The internal APIs of the other services that only operators use. */
export interface OperatorServices {
  audit: Pick<OperatorAuditClient, keyof OperatorAuditClient>;
  clients: Pick<OperatorClientsClient, keyof OperatorClientsClient>;
  connections: Pick<OperatorConnectionsClient, keyof OperatorConnectionsClient>;
  directory: Pick<OperatorDirectoryClient, keyof OperatorDirectoryClient>;
  /** Of the services that wrap keys, by their names: this one, too. */
  keys: Readonly<Record<string, Pick<OperatorKeysClient, 'status'>>>;
  /** Of all services but the console, by their names. */
  services: Readonly<Record<string, Pick<ReadinessClient, 'read'>>>;
}
