import type { ClientMode, WebhookEndpointEntry } from '@tributary/contracts';
import { EntitySchema } from 'typeorm';

export interface WebhookEndpoint {
  endpointId: string;
  clientId: string;
  /** Of the client; every event has it. */
  mode: ClientMode;
  url: string;
  /** Null: all. */
  events: WebhookEndpointEntry['events'] | null;
  secretSealed: Buffer;
  /** After a rotation: signs beside the new secret until `previousSecretUntil`. */
  previousSecretSealed: Buffer | null;
  previousSecretUntil: Date | null;
  status: 'enabled' | 'disabled';
  disabledReason: string | null;
  disabledAt: Date | null;
  lastSuccessAt: Date | null;
  lastFailure: WebhookEndpointEntry['last_failure'] | null;
  /** Attempts since the last accepted one. */
  consecutiveFailures: number;
  createdAt: Date;
}

/**
 * Only `delivery-queue.ts` and `webhook-outbox.ts` use the columns of the schedule. A third status, `deleting`, marks
 * the row of a deleted endpoint until its deliveries are deleted; nothing but `close-endpoints.ts` reads such a row.
 */
export const webhookEndpointEntity = new EntitySchema<WebhookEndpoint>({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  columns: {
    endpointId: { name: 'endpoint_id', type: 'uuid', primary: true },
    clientId: { name: 'client_id', type: 'text' },
    mode: { type: 'text' },
    url: { type: 'text' },
    events: { type: 'text', array: true, nullable: true },
    secretSealed: { name: 'secret_sealed', type: 'bytea' },
    previousSecretSealed: { name: 'previous_secret_sealed', type: 'bytea', nullable: true },
    previousSecretUntil: { name: 'previous_secret_until', type: 'timestamptz', nullable: true },
    status: { type: 'text' },
    disabledReason: { name: 'disabled_reason', type: 'text', nullable: true },
    disabledAt: { name: 'disabled_at', type: 'timestamptz', nullable: true },
    lastSuccessAt: { name: 'last_success_at', type: 'timestamptz', nullable: true },
    lastFailure: { name: 'last_failure', type: 'jsonb', nullable: true },
    consecutiveFailures: { name: 'consecutive_failures', type: 'integer', default: 0 },
    createdAt: { name: 'created_at', type: 'timestamptz', createDate: true },
  },
});
