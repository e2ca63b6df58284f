import { z } from 'zod';
import { exampleValues } from '../examples';
import { connectionId, pageLimit, serviceUserId } from '../identifiers';
import { attemptResult, webhookEventType } from './webhooks';

/**
 * The log of deliveries to a webhook endpoint, and their replay. Neither has clinical values nor any text of the
 * endpoint.
 */

/** For how many days events and the log of their deliveries are kept. */
export const webhookLogDays = 15;

/** The most events that one replay can send. */
export const maxReplayedEvents = 10_000;

const ok = z.literal(true);

export const deliveryState = z
  .enum(['pending', 'delivered', 'failed', 'missed'])
  .describe(
    '`pending`: the event is being sent or sent again. `delivered`: the endpoint accepted it. `failed`: it was not accepted within 24 hours. `missed`: the endpoint was disabled.',
  );
export type DeliveryState = z.infer<typeof deliveryState>;

/** The value of the header `webhook-id`. */
export const webhookId = z
  .string()
  .regex(/^msg_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be a webhook-id')
  .describe('The header `webhook-id`. It is the same for every attempt and every replay of the event.')
  .meta({ examples: [exampleValues.webhook_id] });

export const deliveryAttempt = z
  .object({
    at: z.iso.datetime().describe('When the request was sent.'),
    duration_ms: z.int().min(0).describe('The time until the response, in milliseconds.'),
    ...attemptResult,
  })
  .meta({ id: 'WebhookAttempt' });

export const deliveryEntry = z
  .object({
    webhook_id: webhookId,
    event: webhookEventType,
    timestamp: z.iso.datetime().describe('When the event happened.'),
    service_user_id: serviceUserId.optional(),
    connection_id: connectionId.optional(),
    state: deliveryState,
    attempts: z.array(deliveryAttempt).describe('Oldest first; the last 30.'),
    next_attempt_at: z.iso.datetime().optional().describe('While `pending`: not before this time.'),
  })
  .meta({ id: 'WebhookDelivery' });
export type DeliveryEntry = z.infer<typeof deliveryEntry>;

const instant = z.iso
  .datetime({ offset: true, error: 'must be a date and time such as 2026-01-31T12:00:00Z' })
  .transform((text) => new Date(text))
  .meta({ documented: { type: 'string', format: 'date-time' } });

/** Query of `GET /connect/v1/webhooks/{endpoint_id}/deliveries`. */
export const deliveryListQuery = z.object({
  event: webhookEventType.optional(),
  state: deliveryState.optional(),
  since: instant.optional().describe('Events that happened at this time or later.'),
  until: instant.optional().describe('Events that happened before this time.'),
  limit: pageLimit,
  cursor: z
    .string()
    .regex(/^\d{1,17}-[1-9]\d{0,17}$/, 'must be the next_cursor of a response')
    .optional()
    .describe('`next_cursor` of the page before.'),
});

/** Response of `GET /connect/v1/webhooks/{endpoint_id}/deliveries`. */
export const deliveryList = z
  .object({
    success: ok,
    limit: z.int(),
    entry: z.array(deliveryEntry).describe('Newest event first.'),
    next_cursor: z.string().optional().describe('Absent on the last page.'),
  })
  .meta({ id: 'WebhookDeliveryList' });

/** Body of `POST /connect/v1/webhooks/{endpoint_id}/replay`. */
export const replayRequest = z
  .object({
    since: instant.describe('Events that happened at this time or later.'),
    until: instant.optional().describe('Events that happened before this time. Default: now.'),
    state: deliveryState
      .exclude(['pending'])
      .optional()
      .describe(
        'Only deliveries in this state. Default: all events that the endpoint selects, also those from before it was created.',
      ),
  })
  .meta({ id: 'WebhookReplay' });

/** Response of `POST /connect/v1/webhooks/{endpoint_id}/replay`. */
export const replayed = z
  .object({ success: ok, replayed: z.int().min(0).describe('The number of events.') })
  .meta({ id: 'ReplayedWebhooks' });

/** Response of `POST /connect/v1/webhooks/{endpoint_id}/deliveries/{webhook_id}/replay`. */
export const replayedDelivery = deliveryEntry.extend({ success: ok }).meta({ id: 'ReplayedWebhookDelivery' });
