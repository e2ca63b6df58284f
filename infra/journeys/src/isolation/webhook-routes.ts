import { randomUUID } from 'node:crypto';
import { waitUntil } from '@tributary/test-environment';
import { http } from '../suite/http';
import type { Ready } from '../suite/ready';
import { newUser } from '../suite/users';
import type { Party } from './parties';
import type { FormerIdentifiers, Identifiers, RouteCase } from './route-case';

/** The routes of webhook endpoints and of their deliveries. */
export function webhookRoutes(ready: Ready): RouteCase[] {
  const webhooks = `${ready.base_url}/connect/v1/webhooks`;
  const newUrl = (): string => `http://127.0.0.1:9/${randomUUID()}`;
  const remove = ({ client }: Party, id: string | number): Promise<unknown> =>
    http('DELETE', `${webhooks}/${id}`, { headers: { ...client } });
  const create = async ({ client }: Party, url = newUrl()): Promise<string> => {
    const created = await http('POST', webhooks, { headers: { ...client }, json: { url, events: ['user.deleted'] } });
    return created.json.text('endpoint_id');
  };
  let previous: string | undefined;
  /** One after the other, since a client has at most ten. */
  const endpoint = async (owner: Party): Promise<Identifiers> => {
    if (previous !== undefined) await remove(owner, previous);
    previous = await create(owner);
    return { endpoint_id: previous };
  };
  const delivery = async (owner: Party): Promise<Identifiers> => {
    const { endpoint_id = '' } = await endpoint(owner);
    const { service_user_id } = await newUser(ready, owner.client);
    const form = { service_user_id: String(service_user_id) };
    await http('DELETE', `${ready.base_url}/user-management/v1/user`, { headers: { ...owner.client }, form });
    const firstDelivery = async (): Promise<{ webhook_id: string } | undefined> => {
      const { json } = await http('GET', `${webhooks}/${endpoint_id}/deliveries`, { headers: { ...owner.client } });
      return (json.list('entry') as { webhook_id: string }[])[0];
    };
    const { webhook_id } = await waitUntil(firstDelivery, 'the endpoint has a delivery', 50);
    return { endpoint_id, webhook_id };
  };
  const deleted: FormerIdentifiers = {
    make: async (owner) => {
      const identifiers = await endpoint(owner);
      await remove(owner, identifiers['endpoint_id'] ?? '');
      return identifiers;
    },
  };
  const path = ({ endpoint_id = '' }: Identifiers): { path: Record<string, string | number> } => ({
    path: { endpoint_id },
  });
  return [
    {
      operationId: 'createWebhookEndpoint',
      make: async (owner) => {
        const url = newUrl();
        if (previous !== undefined) await remove(owner, previous);
        previous = await create(owner, url);
        return { url_path: url.split('/').at(-1) ?? '' };
      },
      request: ({ url_path }) => ({ json: { url: `http://127.0.0.1:9/${url_path}` } }),
      // Each client has URLs of its own.
      succeeds: 409,
      refuses: 200,
      isNew: true,
    },
    { operationId: 'listWebhookEndpoints', request: () => ({}) },
    {
      operationId: 'changeWebhookEndpoint',
      make: endpoint,
      request: (identifiers) => ({ ...path(identifiers), json: { url: newUrl() } }),
      deleted,
    },
    ...['rotateWebhookSecret', 'enableWebhookEndpoint', 'testWebhookEndpoint', 'listWebhookDeliveries'].map(
      (operationId): RouteCase => ({ operationId, make: endpoint, request: path, deleted }),
    ),
    {
      operationId: 'replayWebhookDelivery',
      make: delivery,
      request: ({ endpoint_id = '', webhook_id = '' }) => ({ path: { endpoint_id, webhook_id } }),
      deleted: {
        make: async (owner) => {
          const identifiers = await delivery(owner);
          await remove(owner, identifiers['endpoint_id'] ?? '');
          return identifiers;
        },
      },
    },
    {
      operationId: 'replayWebhookEvents',
      make: endpoint,
      request: (identifiers) => ({
        ...path(identifiers),
        json: { since: new Date(Date.now() - 60_000).toISOString() },
      }),
      deleted,
    },
    { operationId: 'deleteWebhookEndpoint', make: endpoint, request: path, deleted },
  ];
}
