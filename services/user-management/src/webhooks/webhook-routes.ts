import { randomUUID } from 'node:crypto';
import {
  type TestedWebhook,
  type WebhookEndpointEntry,
  changedWebhook,
  createdWebhook,
  deliveryList,
  deliveryListQuery,
  done,
  exampleValues,
  replayRequest,
  replayed,
  replayedDelivery,
  rotatedWebhookSecret,
  testedWebhook,
  webhookChange,
  webhookCreation,
  webhookId,
  webhookList,
} from '@tributary/contracts';
import { OutboundRequestFailed } from '@tributary/outbound';
import { type AnyRoute, type Api, type CallAttributes, type RouteResponse, badRequest } from '@tributary/service-kit';
import { z } from 'zod';
import type { Dependencies } from '../dependencies';
import type { OutboundHttp } from '../outbound/outbound-http';
import { isAccepted, sendWebhook } from './webhook-sender';
import type { WebhookEndpoint } from './webhook-endpoint';
import { describeWebhookEvents } from './webhook-documentation';
import { eventBody } from './webhook-outbox';

const endpointParams = z.object({
  endpoint_id: z
    .uuid()
    .describe('As in the list.')
    .meta({ examples: [exampleValues.endpoint_id] }),
});
/** Names the endpoint of a call for the audit log. */
function endpointAttributes(id: string): CallAttributes {
  return { entities: [{ type: 'WebhookEndpoint', id }] };
}

const disabled: RouteResponse = { description: 'The endpoint is disabled.', codes: ['webhook_endpoint_disabled'] };

const refusals: AnyRoute['responses'] = {
  400: { description: 'Missing or bad input.' },
  401: { description: 'Wrong client credentials.' },
  429: {
    description:
      'More than 300 requests of the client to these routes in an hour, or more than 60 tests and replays in a minute; `Retry-After` says when to try again.',
  },
};
const refusalsOfOne: AnyRoute['responses'] = {
  ...refusals,
  404: { description: 'The client has no such endpoint.', codes: ['webhook_endpoint_not_found'] },
};

/** Routes under `{base_url}/connect/v1/webhooks`, with client credentials. */
export function serveWebhooks(api: Api, dependencies: Dependencies): void {
  const { http, webhookEndpoints: endpoints, deliveryLog: deliveries, limits } = dependencies;
  const common = {
    tags: ['Webhooks'],
    authentication: dependencies.clientAuthentication,
    limits: [limits.webhooks],
  };
  const ofOne = { ...common, params: endpointParams };
  const sending = { ...ofOne, limits: [limits.webhooks, ...limits.sentWebhooks] };
  describeWebhookEvents(api);

  api.route(
    {
      method: 'get',
      path: '/connect/v1/webhooks/{endpoint_id}/deliveries',
      operationId: 'listWebhookDeliveries',
      summary: 'The log of deliveries to an endpoint',
      audit: { kind: 'webhook.read', action: 'R' },
      description:
        'The events of the last 15 days, newest first, with every attempt. Events of a deleted user are deleted. It has neither clinical values nor text of the endpoint.',
      ...ofOne,
      query: deliveryListQuery,
      responses: { 200: { description: 'A page.', schema: deliveryList }, ...refusalsOfOne },
    },
    async ({ principal, params: { endpoint_id }, query, audit }) => {
      audit(endpointAttributes(endpoint_id));
      const { endpointId } = await endpoints.find(principal.client_id, endpoint_id);
      const { entries, nextCursor } = await deliveries.list(endpointId, query);
      return {
        success: true,
        limit: query.limit,
        entry: entries,
        ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }),
      };
    },
  );

  api.route(
    {
      method: 'post',
      path: '/connect/v1/webhooks/{endpoint_id}/deliveries/{webhook_id}/replay',
      operationId: 'replayWebhookDelivery',
      summary: 'Send an event to an endpoint again',
      audit: { kind: 'webhook.configured', action: 'E' },
      description: 'Under the same `webhook-id`, with the same body and a new signature.',
      ...sending,
      params: endpointParams.extend({ webhook_id: webhookId }),
      responses: {
        200: { description: 'The delivery, which is `pending`.', schema: replayedDelivery },
        ...refusalsOfOne,
        404: {
          description: 'The client has no such endpoint, or the endpoint no such delivery.',
          codes: ['webhook_delivery_not_found', 'webhook_endpoint_not_found'],
        },
        409: disabled,
      },
    },
    async ({ principal, params: { endpoint_id, webhook_id }, audit }) => {
      audit(endpointAttributes(endpoint_id));
      const endpoint = await endpoints.find(principal.client_id, endpoint_id);
      return { success: true, ...(await deliveries.replay(endpoint, webhook_id.slice('msg_'.length))) };
    },
  );

  api.route(
    {
      method: 'post',
      path: '/connect/v1/webhooks/{endpoint_id}/replay',
      operationId: 'replayWebhookEvents',
      summary: 'Send the events of a time range to an endpoint again',
      audit: { kind: 'webhook.configured', action: 'E' },
      description:
        'Each under its `webhook-id`, the events of a connection in their order: what a receiver missed or lost. The range has at most 10,000 events; those that are being sent are left alone.',
      ...sending,
      body: replayRequest,
      responses: {
        200: { description: 'The number of events, which are now `pending`.', schema: replayed },
        ...refusalsOfOne,
        400: {
          description: 'Missing or bad input, or too many events.',
          codes: ['invalid_request', 'too_many_events'],
        },
        409: disabled,
      },
    },
    async ({ principal, params: { endpoint_id }, body, audit }) => {
      audit(endpointAttributes(endpoint_id));
      const endpoint = await endpoints.find(principal.client_id, endpoint_id);
      return { success: true, replayed: await deliveries.replayRange(endpoint, body) };
    },
  );

  api.route(
    {
      method: 'post',
      path: '/connect/v1/webhooks',
      operationId: 'createWebhookEndpoint',
      summary: 'Create an endpoint, to which events are sent',
      audit: { kind: 'webhook.configured', action: 'C' },
      description:
        'It gets the selected events of every user of the client from now on. A client has at most ten endpoints.',
      ...common,
      body: webhookCreation,
      responses: {
        200: { description: 'The endpoint, with its secret.', schema: createdWebhook },
        ...refusals,
        409: {
          description: 'The client has an endpoint with this URL (`webhook_url_taken`), or ten endpoints.',
          codes: ['webhook_url_taken', 'too_many_webhook_endpoints'],
        },
      },
    },
    async ({ principal, body: { url, events }, audit }) => {
      await assertCallable(http, url);
      const { endpoint, secret } = await endpoints.create(principal, { url, events });
      audit(endpointAttributes(endpoint.endpointId));
      return { success: true, ...entryOf(endpoint), secret };
    },
  );

  api.route(
    {
      method: 'get',
      path: '/connect/v1/webhooks',
      operationId: 'listWebhookEndpoints',
      audit: { kind: 'webhook.read', action: 'R' },
      summary: 'The endpoints of the client',
      ...common,
      responses: { 200: { description: 'All of them.', schema: webhookList }, ...refusals },
    },
    async ({ principal }) => ({
      success: true,
      entry: (await endpoints.list(principal.client_id)).map(entryOf),
    }),
  );

  api.route(
    {
      method: 'patch',
      path: '/connect/v1/webhooks/{endpoint_id}',
      operationId: 'changeWebhookEndpoint',
      summary: 'Change the URL, the events or the status of an endpoint',
      audit: { kind: 'webhook.configured', action: 'U' },
      description: 'Absent fields stay unchanged. The secret stays the same. Pending events are sent to the new URL.',
      ...ofOne,
      body: webhookChange,
      responses: {
        200: { description: 'The changed endpoint.', schema: changedWebhook },
        ...refusalsOfOne,
        409: { description: 'Another endpoint of the client has this URL.', codes: ['webhook_url_taken'] },
      },
    },
    async ({ principal, params: { endpoint_id }, body, audit }) => {
      audit(endpointAttributes(endpoint_id));
      if (body.url !== undefined) await assertCallable(http, body.url);
      return { success: true, ...entryOf(await endpoints.change(principal.client_id, endpoint_id, body)) };
    },
  );

  api.route(
    {
      method: 'delete',
      path: '/connect/v1/webhooks/{endpoint_id}',
      operationId: 'deleteWebhookEndpoint',
      summary: 'Delete an endpoint, with the log of its deliveries',
      audit: { kind: 'webhook.configured', action: 'D' },
      ...ofOne,
      responses: { 200: { description: 'The endpoint is deleted.', schema: done }, ...refusalsOfOne },
    },
    async ({ principal, params: { endpoint_id }, audit }) => {
      audit(endpointAttributes(endpoint_id));
      await endpoints.delete(principal.client_id, endpoint_id);
      return { success: true };
    },
  );

  api.route(
    {
      method: 'post',
      path: '/connect/v1/webhooks/{endpoint_id}/rotate-secret',
      operationId: 'rotateWebhookSecret',
      summary: 'A new secret for an endpoint',
      audit: { kind: 'webhook.configured', action: 'U' },
      description: 'For a day events carry two signatures, by the new and by the previous secret.',
      ...ofOne,
      responses: { 200: { description: 'The new secret.', schema: rotatedWebhookSecret }, ...refusalsOfOne },
    },
    async ({ principal, params: { endpoint_id }, audit }) => {
      audit(endpointAttributes(endpoint_id));
      const { secret, previousUntil } = await endpoints.rotateSecret(principal.client_id, endpoint_id);
      return { success: true, secret, previous_secret_until: previousUntil.toISOString() };
    },
  );

  api.route(
    {
      method: 'post',
      path: '/connect/v1/webhooks/{endpoint_id}/enable',
      operationId: 'enableWebhookEndpoint',
      summary: 'Enable a disabled endpoint',
      audit: { kind: 'webhook.configured', action: 'U' },
      description: 'It gets the events from now on. What it missed can be replayed.',
      ...ofOne,
      responses: { 200: { description: 'The enabled endpoint.', schema: changedWebhook }, ...refusalsOfOne },
    },
    async ({ principal, params: { endpoint_id }, audit }) => {
      audit(endpointAttributes(endpoint_id));
      const changed = await endpoints.change(principal.client_id, endpoint_id, { status: 'enabled' });
      return { success: true, ...entryOf(changed) };
    },
  );

  api.route(
    {
      method: 'post',
      path: '/connect/v1/webhooks/{endpoint_id}/test',
      operationId: 'testWebhookEndpoint',
      summary: 'Send a test event to an endpoint',
      audit: { kind: 'webhook.sent', action: 'E' },
      description: 'Also to a disabled endpoint. There is one attempt, without retries.',
      ...sending,
      responses: { 200: { description: 'The response of the endpoint.', schema: testedWebhook }, ...refusalsOfOne },
    },
    async ({ principal, params: { endpoint_id }, audit }): Promise<TestedWebhook> => {
      audit(endpointAttributes(endpoint_id));
      const endpoint = await endpoints.find(principal.client_id, endpoint_id);
      const body = eventBody('webhook.test', endpoint.mode, { endpoint_id });
      const { durationMs, ...response } = await sendWebhook(dependencies, endpoint, randomUUID(), body);
      const delivered = isAccepted(response);
      if (delivered) await endpoints.recordTested(endpoint_id);
      return { success: true, delivered, ...response, duration_ms: durationMs };
    },
  );
}

async function assertCallable(http: OutboundHttp, url: string): Promise<void> {
  try {
    await http.assertSafeUrl(url);
  } catch (error) {
    if (error instanceof OutboundRequestFailed) throw badRequest(`url cannot be called: ${error.reason}`);
    throw error;
  }
}

function entryOf({
  endpointId,
  url,
  mode,
  events,
  status,
  disabledReason,
  disabledAt,
  lastSuccessAt,
  lastFailure,
  consecutiveFailures,
  createdAt,
}: WebhookEndpoint): WebhookEndpointEntry {
  return {
    endpoint_id: endpointId,
    url,
    mode,
    ...(events === null ? {} : { events }),
    status,
    ...(disabledReason === null ? {} : { disabled_reason: disabledReason }),
    ...(disabledAt === null ? {} : { disabled_at: disabledAt.toISOString() }),
    ...(lastSuccessAt === null ? {} : { last_success_at: lastSuccessAt.toISOString() }),
    ...(lastFailure ? { last_failure: lastFailure } : {}),
    consecutive_failures: consecutiveFailures,
    created_at: createdAt.toISOString(),
  };
}
