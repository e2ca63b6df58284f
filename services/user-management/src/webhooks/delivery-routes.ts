import {
  deliveryList,
  deliveryListQuery,
  exampleValues,
  replayRequest,
  replayed,
  replayedDelivery,
  webhookId,
} from '@tributary/contracts';
import type { Api, CallAttributes, RouteLimit, RouteResponse } from '@tributary/service-kit';
import { z } from 'zod';
import type { Dependencies } from '../dependencies';

interface Common {
  tags: string[];
  authentication: Dependencies['clientAuthentication'];
  limits: RouteLimit[];
}

/** The path of an endpoint. */
export const endpointParams = z.object({
  endpoint_id: z
    .uuid()
    .describe('As in the list.')
    .meta({ examples: [exampleValues.endpoint_id] }),
});
/** Names the endpoint of a call for the audit log. */
export function endpointAttributes(id: string): CallAttributes {
  return { entities: [{ type: 'WebhookEndpoint', id }] };
}

const disabled: RouteResponse = { description: 'The endpoint is disabled.', codes: ['webhook_endpoint_disabled'] };

/** Routes under `{base_url}/connect/v1/webhooks/{endpoint_id}`: the log of deliveries, and their replay. */
export function serveDeliveries(
  api: Api,
  { webhookEndpoints: endpoints, deliveryLog: deliveries }: Dependencies,
  { common, sending, refusals }: { common: Common; sending: Common; refusals: Record<number, RouteResponse> },
): void {
  api.route(
    {
      method: 'get',
      path: '/connect/v1/webhooks/{endpoint_id}/deliveries',
      operationId: 'listWebhookDeliveries',
      summary: 'The log of deliveries to an endpoint',
      audit: { kind: 'webhook.read', action: 'R' },
      description:
        'The events of the last 15 days, newest first, with every attempt. Events of a deleted user are deleted. It has neither clinical values nor text of the endpoint.',
      ...common,
      params: endpointParams,
      query: deliveryListQuery,
      responses: { 200: { description: 'A page.', schema: deliveryList }, ...refusals },
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
        ...refusals,
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
      params: endpointParams,
      body: replayRequest,
      responses: {
        200: { description: 'The number of events, which are now `pending`.', schema: replayed },
        ...refusals,
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
}
