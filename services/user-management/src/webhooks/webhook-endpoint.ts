import { EntitySchema } from 'typeorm';

/** Where a client wants events to be sent. */
export interface WebhookEndpoint {
  endpointId: string;
  clientId: string;
  url: string;
  secretSealed: Buffer;
  /** Signs too until `previousSecretUntil`. */
  previousSecretSealed: Buffer | null;
  previousSecretUntil: Date | null;
  status: 'enabled' | 'disabled';
  disabledReason: string | null;
  disabledAt: Date | null;
  createdAt: Date;
}

/** The columns of the schedule are left to `delivery-turns.ts`. */
export const webhookEndpointEntity = new EntitySchema<WebhookEndpoint>({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  columns: {
    endpointId: { name: 'endpoint_id', type: 'uuid', primary: true },
    clientId: { name: 'client_id', type: 'text' },
    url: { type: 'text' },
    secretSealed: { name: 'secret_sealed', type: 'bytea' },
    previousSecretSealed: { name: 'previous_secret_sealed', type: 'bytea', nullable: true },
    previousSecretUntil: { name: 'previous_secret_until', type: 'timestamptz', nullable: true },
    status: { type: 'text' },
    disabledReason: { name: 'disabled_reason', type: 'text', nullable: true },
    disabledAt: { name: 'disabled_at', type: 'timestamptz', nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', createDate: true },
  },
});
