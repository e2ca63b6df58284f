import { exampleValues, managedClient, managedClientWithSecret } from '@tributary/contracts';
import {
  type Api,
  type CredentialGuard,
  type RouteLimit,
  badRequest,
  clientCredentialsAuthentication,
} from '@tributary/service-kit';
import { z } from 'zod';
import type { ClientApplications } from './client-applications';
import { changeableFields, clientChange, settingsOfChange } from './client-change';
import { maxOverlapHours, overlapHours } from './client-settings';

export interface ClientRoutesDependencies {
  clients: ClientApplications;
  guard: CredentialGuard;
  limits: readonly RouteLimit[];
  /** Allows frame origins on http at localhost, and JWKS URLs on http and on private addresses. */
  sandboxMode: boolean;
}

const rotation = z
  .strictObject({
    overlap_hours: overlapHours
      .default(0)
      .describe(`For how long the old secret still works, up to ${maxOverlapHours}; 0: it stops working at once.`),
  })
  .meta({ id: 'SecretRotation' });

const deletion = z
  .strictObject({
    confirm: z
      .string()
      .describe('The name of the client.')
      .meta({ examples: ['Example App'] }),
  })
  .meta({ id: 'ClientDeletion' });

/** A secret that is known to others must not destroy records: the operator has this time to prevent it. */
const deletionDelaySeconds = 7 * 86_400;

const refusals = {
  400: { description: 'Missing or bad input.' },
  401: { description: 'Wrong client credentials.' },
};
const path = '/client-management/v1/client';

/** Routes under `{auth_url}/client-management/v1`, by which a client manages itself. */
export function serveClients(api: Api, { clients, guard, limits, sandboxMode }: ClientRoutesDependencies): Api {
  const authentication = clientAuthentication(clients, guard);
  const common = { tags: ['Clients'], authentication, limits };
  return api
    .route(
      {
        method: 'get',
        path,
        operationId: 'readClient',
        summary: 'Read the client',
        ...common,
        audit: { none: 'a client reads its own settings, and no data of a user' },
        responses: { 200: { description: 'The client.', schema: managedClient }, 401: refusals[401] },
      },
      async ({ principal }) => stillThere(await clients.findRegistered(principal.client_id)),
    )
    .route(
      {
        method: 'patch',
        path,
        operationId: 'changeClient',
        summary: 'Change settings of the client',
        description: 'Only what is given changes; null removes a setting.',
        ...common,
        audit: { kind: 'client.changed', action: 'U' },
        body: clientChange(sandboxMode),
        bodyTypes: ['application/json'],
        example: { body: { name: 'Example App', redirect_uris: [exampleValues.redirect_uri] } },
        responses: { 200: { description: 'The client as it is now.', schema: managedClient }, ...refusals },
      },
      async ({ principal, body }) => {
        if (Object.keys(body).length === 0) throw badRequest(`give at least one of ${changeableFields.join(', ')}`);
        return stillThere(await clients.set(principal.client_id, settingsOfChange(body)));
      },
    )
    .route(
      {
        method: 'post',
        path: `${path}/secret`,
        operationId: 'rotateClientSecret',
        summary: 'Give the client a new secret',
        description:
          'With `overlap_hours`, the secret of this request works beside the new one, so that every part of the application can change without an interruption. A client has two secrets at most: one before these two stops working.',
        ...common,
        audit: { kind: 'client.changed', action: 'U' },
        body: rotation,
        bodyTypes: ['application/json'],
        example: { body: { overlap_hours: 24 } },
        responses: {
          200: {
            description: 'The new secret, this once.',
            schema: managedClientWithSecret,
          },
          ...refusals,
        },
      },
      async ({ principal, body }) => stillThere(await clients.rotateSecret(principal.client_id, body.overlap_hours)),
    )
    .route(
      {
        method: 'delete',
        path,
        operationId: 'deleteClient',
        summary: 'Delete the client with all of its users and their records',
        description:
          'The credentials, codes and tokens of the client and of its users stop working at once. The users and their records are deleted after seven days; until then the operator can enable the client again.',
        ...common,
        audit: { kind: 'client.deleted', action: 'D' },
        body: deletion,
        bodyTypes: ['application/json'],
        responses: { 202: { description: 'The deletion has begun.', schema: managedClient }, ...refusals },
      },
      async ({ principal, body, response }) => {
        if (body.confirm !== principal.name) throw badRequest('confirm: must be the name of the client');
        response.status(202);
        return stillThere(await clients.deleteLater(principal.client_id, deletionDelaySeconds));
      },
    );
}

/** By the headers client_id and client_secret. */
export function clientAuthentication(
  clients: ClientApplications,
  guard: CredentialGuard,
): ReturnType<typeof clientCredentialsAuthentication> {
  return clientCredentialsAuthentication({
    auth: { authenticateClient: ({ client_id, client_secret }) => clients.authenticate(client_id, client_secret) },
    guard,
  });
}

/** A client that has just been authenticated can have been deleted since. */
function stillThere<T>(client: T | undefined): T {
  if (client === undefined) throw badRequest('the client is deleted', 'invalid_client');
  return client;
}
