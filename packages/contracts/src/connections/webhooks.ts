import { z } from 'zod';
import { exampleValues } from '../examples';
import { exportCompletion } from '../exports/internal';
import { clientMode, connectionId, healthSystemId, serviceUserId } from '../identifiers';
import { fhirVersion } from '../releases';
import { connectionError, typeOutcome } from './collection-result';
import { connectionWarning } from './public';

/**
 * Webhooks of clients according to Standard Webhooks (https://www.standardwebhooks.com): endpoints, and the events that
 * are sent to them.
 */

const ok = z.literal(true);
const endpointId = z
  .uuid()
  .describe('Identifies the endpoint.')
  .meta({ examples: [exampleValues.endpoint_id] });
const secret = z
  .string()
  .describe('`whsec_` followed by the signing key in base64. It is shown only in this response.')
  .meta({ examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] });

/** Why an endpoint is disabled. `infra/docs/errors.md` is generated from this. */
export const webhookDisabledReasons = {
  gone: {
    message: 'it responded with 410: it accepts no more events',
    remedy: 'Respond with 2xx, and enable the endpoint.',
  },
  not_accepted: {
    message: 'no event was accepted for 24 hours',
    remedy: 'Repair the receiver, check it by `POST …/test`, enable the endpoint, and replay what it missed.',
  },
  by_client: {
    message: 'the client disabled it',
    remedy: 'Enable the endpoint, and replay what it missed.',
  },
} as const;

const url = z
  .string()
  .max(2048, 'must have at most 2048 characters')
  .refine(isPlainWebAddress, 'must be a web address without credentials')
  .transform((text) => normalAddress(text))
  .describe('The https URL, with a public address, that events are POSTed to. Redirects are not followed.')
  .meta({ documented: { type: 'string', format: 'uri', maxLength: 2048, examples: [exampleValues.webhook_url] } });

/** The events that an endpoint can select. */
export const webhookEventTypes = [
  'connection.active',
  'connection.needs_reauthorization',
  'connection.failed',
  'connection.revoked',
  'collection.completed',
  'user.deleted',
  'export.completed',
] as const;
export const webhookEventType = z.enum(webhookEventTypes, {
  error: `must be one of ${webhookEventTypes.join(', ')}`,
});

/** One type, as a form sends a list of one, or a list of types. */
const selectedEvents = z
  .union([webhookEventType.transform((type) => [type]), z.array(webhookEventType).min(1)], {
    error: `must be a list of ${webhookEventTypes.join(', ')}`,
  })
  .transform((types) => [...new Set(types)])
  .meta({ documented: { type: 'array', minItems: 1, items: { type: 'string', enum: [...webhookEventTypes] } } });

/** Body of `POST /connect/v1/webhooks`. */
export const webhookCreation = z
  .object({
    url,
    events: selectedEvents
      .optional()
      .describe('The events that the endpoint gets. Default: all, also those of types that are added later.'),
  })
  .meta({ id: 'WebhookCreation' });

/** Body of `PATCH /connect/v1/webhooks/{endpoint_id}`; absent fields stay unchanged. */
export const webhookChange = z
  .object({
    url: url.optional(),
    events: z.union([selectedEvents, z.null()]).optional().describe('`null` selects all events.'),
    status: z
      .enum(['enabled', 'disabled'])
      .optional()
      .describe('A disabled endpoint gets no events. What it misses can be replayed after it is enabled.'),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    path: ['url'],
    message: 'is missing: give url, events or status',
  })
  .meta({ id: 'WebhookChange' });

/** How an attempt to deliver an event ended. */
export const attemptResult = {
  status: z.int().optional().describe('The HTTP status of the response.'),
  reason: z.string().optional().describe('Why there was no response, such as `ECONNREFUSED`.'),
};

export const webhookEndpointEntry = z
  .object({
    endpoint_id: endpointId,
    url: z.string().meta({ examples: [exampleValues.webhook_url] }),
    mode: clientMode,
    events: z.array(webhookEventType).optional().describe('The selected events. Absent: all.'),
    status: z.enum(['enabled', 'disabled']),
    disabled_reason: z
      .string()
      .optional()
      .describe('Why it was disabled. It receives no events until it is enabled again.'),
    disabled_at: z.iso.datetime().optional(),
    last_success_at: z.iso.datetime().optional().describe('When an event was last accepted.'),
    last_failure: z
      .object({ at: z.iso.datetime(), ...attemptResult })
      .optional()
      .describe('The last attempt that was not accepted.'),
    consecutive_failures: z.int().min(0).describe('Attempts since the last accepted one.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'WebhookEndpoint' });
export type WebhookEndpointEntry = z.infer<typeof webhookEndpointEntry>;

/** Response of `GET /connect/v1/webhooks`. */
export const webhookList = z
  .object({ success: ok, entry: z.array(webhookEndpointEntry).describe('Oldest first.') })
  .meta({ id: 'WebhookEndpointList' });

/** Response of `POST /connect/v1/webhooks`. */
export const createdWebhook = webhookEndpointEntry
  .extend({ success: ok, secret })
  .meta({ id: 'CreatedWebhookEndpoint' });

/** Response of `PATCH /connect/v1/webhooks/{endpoint_id}` and of `POST /connect/v1/webhooks/{endpoint_id}/enable`. */
export const changedWebhook = webhookEndpointEntry.extend({ success: ok }).meta({ id: 'ChangedWebhookEndpoint' });

/** Response of `POST /connect/v1/webhooks/{endpoint_id}/rotate-secret`. */
export const rotatedWebhookSecret = z
  .object({
    success: ok,
    secret,
    previous_secret_until: z.iso.datetime().describe('Until then every event is also signed with the previous secret.'),
  })
  .meta({ id: 'RotatedWebhookSecret' });

/** Response of `POST /connect/v1/webhooks/{endpoint_id}/test`. */
export const testedWebhook = z
  .object({
    success: ok,
    delivered: z.boolean().describe('Whether the endpoint responded with 2xx.'),
    ...attemptResult,
    duration_ms: z.int().min(0).describe('The time until the response, in milliseconds.'),
  })
  .meta({ id: 'TestedWebhookEndpoint' });
export type TestedWebhook = z.infer<typeof testedWebhook>;

const aboutConnection = z.object({
  service_user_id: serviceUserId,
  connection_id: connectionId,
  health_system_id: healthSystemId,
  fhirVersion,
  other_person: z
    .literal(true)
    .optional()
    .describe('The Patient was another person than those of the record when it was connected.'),
});
const count = z.int().min(0);
const collectedType = z.object({
  type: z.string().describe('A FHIR resource type.'),
  outcome: typeOutcome,
  fetched: count,
  stored: count,
  unchanged: count,
  failed: count,
  created: count,
  deleted: count,
});

const result = {
  complete: z.boolean().describe('Whether the collection read everything that the health system offers.'),
  warnings: z
    .array(connectionWarning)
    .describe('At most 50, as in the list of connections; `warnings_omitted` counts the others.'),
  warnings_omitted: count,
};

/** The `data` of each event type: ids and counts, but no clinical values. */
export const webhookEventData = {
  'connection.active': aboutConnection.extend(result),
  'connection.needs_reauthorization': aboutConnection,
  'connection.failed': aboutConnection.extend({ error: connectionError }),
  'connection.revoked': aboutConnection.extend({
    revoked_by: z
      .enum(['user', 'client', 'expiry'])
      .describe(
        "Whether the user's token or the client's credentials revoked it; `expiry`: the time of the user's consent ran out.",
      ),
  }),
  'collection.completed': aboutConnection.extend({ ...result, types: z.array(collectedType) }),
  'user.deleted': z.object({ service_user_id: serviceUserId }),
  'export.completed': exportCompletion.omit({ client_id: true }),
  'webhook.test': z.object({ endpoint_id: endpointId }),
};
export type WebhookEventType = keyof typeof webhookEventData;
export type WebhookEventData<Type extends WebhookEventType> = z.infer<(typeof webhookEventData)[Type]>;

/** The body of a webhook request of this type. */
export function webhookEvent<Type extends WebhookEventType>(
  type: Type,
): z.ZodObject<{
  type: z.ZodLiteral<Type>;
  timestamp: z.ZodISODateTime;
  mode: typeof clientMode;
  data: (typeof webhookEventData)[Type];
}> {
  return z
    .object({
      type: z.literal(type),
      timestamp: z.iso.datetime().describe('When the event happened, which can be long before it is sent.'),
      mode: clientMode.describe('The mode of the client.'),
      data: webhookEventData[type],
    })
    .meta({ id: eventName(type) });
}

/** `connection.needs_reauthorization` becomes `ConnectionNeedsReauthorizationEvent`. */
function eventName(type: WebhookEventType): string {
  return `${type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}Event`;
}

/** Without a fragment, which is never sent. Two endpoints of a client cannot have the same address. */
function normalAddress(text: string): string {
  const address = new URL(text);
  address.hash = '';
  return address.href;
}

function isPlainWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
