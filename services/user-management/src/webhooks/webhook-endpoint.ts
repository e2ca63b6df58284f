import { EntitySchema } from 'typeorm';

/** A URL of a client to which events are sent. */
export interface WebhookEndpoint {
  endpointId: string;
  clientId: string;
  url: string;
  secretSealed: Buffer;
  /** After a rotation: signs beside the new secret until `previousSecretUntil`. */
  previousSecretSealed: Buffer | null;
  previousSecretUntil: Date | null;
  status: 'enabled' | 'disabled';
  disabledReason: string | null;
  disabledAt: Date | null;
  createdAt: Date;
}

/** Only `delivery-queue.ts` and `webhook-outbox.ts` use the columns of the schedule. */
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
