import {
  type ConnectionEntry,
  connectionConsent,
  connectionDetail,
  connectionId,
  connectionList,
  done,
  refreshedConnection,
} from '@tributary/contracts';
import {
  type AnyRoute,
  type Api,
  type Authentication,
  type CallAttributes,
  type RequestLimit,
  type RouteLimit,
  rateLimitHeaders,
  resultsOf,
  showLimits,
  takeAll,
} from '@tributary/service-kit';
import { z } from 'zod';
import type { CollectionQueue } from '../collection/collection-queue';
import { userInactive } from '../users/user-errors';
import type { Users } from '../users/users';
import type { Connection } from './connection';
import { type ConnectionCaller, type ConnectionUser, connectionUser, userOfClient } from './connection-caller';
import { connectionNotFound, connectionRevoked, consentEnded, needsReauthorization } from './connection-errors';
import type { Connections } from './connections';

export interface ConnectionRoutesDependencies {
  authentication: Authentication<ConnectionCaller>;
  users: Users;
  connections: Connections;
  collectionQueue: CollectionQueue;
  /** Limits of all of these routes. */
  connectionLimits: readonly RouteLimit[];
  /** Limits requests to collect again. */
  refreshLimits: { ofConnection: RequestLimit | undefined; ofClient: RequestLimit | undefined };
}

const params = z.object({ connection_id: connectionId });
const refreshQuery = userOfClient.extend({
  full: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      '`true` reads everything again, and finds what the health system has deleted or loaded late. Otherwise only changes are requested where the health system supports that, and everything from time to time. While a collection is in progress, the next one is full.',
    ),
});
const refusalsOfAll: AnyRoute['responses'] = {
  400: { description: 'Bad input, or client credentials without `service_user_id`.' },
  401: { description: 'The access token or the client credentials are missing or wrong.' },
  404: { description: 'The client has no such user.', codes: ['user_not_found'] },
};
const refusals: AnyRoute['responses'] = {
  ...refusalsOfAll,
  404: {
    description: 'The user has no such connection, or the client has no such user.',
    codes: ['connection_not_found', 'user_not_found'],
  },
};
const onlyReads: AnyRoute['responses'] = {
  403: { description: 'The scope of the access token only reads.', codes: ['insufficient_scope'] },
};
const onlyReadsOrInactive: AnyRoute['responses'] = {
  403: {
    description: 'The scope of the access token only reads, or the user of the `service_user_id` is not active.',
    codes: ['insufficient_scope', 'user_inactive'],
  },
};

/**
 * Routes under `{base_url}/connect/v1/connections`, with a user's access token, or with client credentials and a user.
 */
export function addConnectionRoutes(
  api: Api,
  {
    authentication,
    users,
    connections,
    collectionQueue,
    connectionLimits,
    refreshLimits,
  }: ConnectionRoutesDependencies,
): void {
  const tags = ['Connections'];
  /** Names the user and the connection of a call for the audit log. */
  const connectionAttributes = ({ serviceUserId }: ConnectionUser, id: string): CallAttributes => ({
    subject: serviceUserId,
    entities: [{ type: 'Connection', id }],
  });
  const findOwn = async ({ serviceUserId }: ConnectionUser, id: string): Promise<Connection> => {
    const connection = await connections.findOfUser(serviceUserId, id);
    if (!connection) throw connectionNotFound();
    return connection;
  };

  const entryOf = async (connection: Connection): Promise<ConnectionEntry> => {
    const [entry] = await connections.entriesOf(connection.serviceUserId, [connection]);
    if (!entry) throw connectionNotFound();
    return entry;
  };

  /** Why a connection cannot be collected, from its state after the attempt. */
  const refusalOf = async (user: ConnectionUser, id: string): Promise<Error> => {
    const connection = await findOwn(user, id);
    if (connection.status !== 'revoked') return needsReauthorization(connection.error);
    return (await entryOf(connection)).consent?.ended_by === 'expiry' ? consentEnded() : connectionRevoked();
  };

  api.route(
    {
      method: 'get',
      path: '/connect/v1/connections',
      operationId: 'listConnections',
      summary: 'The connections of the user',
      audit: { kind: 'connection.read', action: 'R' },
      tags,
      authentication,
      limits: connectionLimits,
      query: userOfClient,
      responses: { 200: { description: 'All of them, oldest first.', schema: connectionList }, ...refusalsOfAll },
    },
    async ({ principal, query, audit }) => {
      const { serviceUserId } = await connectionUser(users, principal, query);
      audit({ subject: serviceUserId });
      const ofUser = await connections.listOfUser(serviceUserId);
      return { success: true, entry: await connections.entriesOf(serviceUserId, ofUser) };
    },
  );

  api.route(
    {
      method: 'get',
      path: '/connect/v1/connections/{connection_id}',
      operationId: 'getConnection',
      summary: 'A connection, with the progress and the result of each resource type',
      audit: { kind: 'connection.read', action: 'R' },
      tags,
      authentication,
      limits: connectionLimits,
      params,
      query: userOfClient,
      responses: { 200: { description: 'The connection.', schema: connectionDetail }, ...refusals },
    },
    async ({ principal, params: { connection_id }, query, audit }) => {
      const user = await connectionUser(users, principal, query);
      audit(connectionAttributes(user, connection_id));
      const connection = await findOwn(user, connection_id);
      const { progress, lastResult } = connection;
      return { success: true, ...(await entryOf(connection)), types: progress, results: lastResult?.types ?? [] };
    },
  );

  api.route(
    {
      method: 'get',
      path: '/connect/v1/connections/{connection_id}/consent',
      operationId: 'getConsent',
      summary: 'The receipt of what the user agreed to, and those of earlier consents',
      audit: { kind: 'connection.read', action: 'R' },
      tags,
      authentication,
      limits: connectionLimits,
      params,
      query: userOfClient,
      responses: {
        200: { description: 'The receipt of the last consent.', schema: connectionConsent },
        ...refusalsOfAll,
        404: {
          description: 'The user has no such connection, or the client has no such user.',
          codes: ['connection_not_found', 'user_not_found'],
        },
      },
    },
    async ({ principal, params: { connection_id }, query, audit }) => {
      const user = await connectionUser(users, principal, query);
      audit(connectionAttributes(user, connection_id));
      const connection = await findOwn(user, connection_id);
      const consent = await connections.consentOf(connection);
      return { success: true, ...consent };
    },
  );

  api.route(
    {
      method: 'post',
      path: '/connect/v1/connections/{connection_id}/refresh',
      operationId: 'refreshConnection',
      summary: 'Collect again now',
      audit: { kind: 'connection.refreshed', action: 'E' },
      tags,
      authentication,
      limits: connectionLimits,
      params,
      query: refreshQuery,
      responses: {
        200: {
          description: 'The connection, with status `collecting`.',
          schema: refreshedConnection,
          headers: rateLimitHeaders,
        },
        ...refusals,
        ...onlyReadsOrInactive,
        409: {
          description:
            'The user must connect again: `needs_reauthorization` when the grant cannot be used any more, `revoked` when the user or the client has disconnected, `consent_ended` when the time of the consent has run out.',
          codes: ['needs_reauthorization', 'revoked', 'consent_ended'],
        },
        429: {
          description: 'The connection was collected again too often, or too many connections of the client were.',
          headers: rateLimitHeaders,
        },
      },
    },
    async ({ principal, params: { connection_id }, query, response, audit }) => {
      const user = await connectionUser(users, principal, query);
      audit(connectionAttributes(user, connection_id));
      const connection = await findOwn(user, connection_id);
      if (!user.isActive) throw userInactive();
      const { ofConnection, ofClient } = refreshLimits;
      const limits = [
        ...(ofConnection ? [{ limit: ofConnection, key: connection_id }] : []),
        ...(ofClient ? [{ limit: ofClient, key: user.clientId }] : []),
      ];
      showLimits(response, await takeAll(limits, 1, resultsOf(response)));
      const job = await connections.requestCollection(connection, query.full === 'true');
      if (!job) throw await refusalOf(user, connection_id);
      await collectionQueue.tryAdd([job]);
      return { success: true, ...(await entryOf(await findOwn(user, connection_id))) };
    },
  );

  api.route(
    {
      method: 'delete',
      path: '/connect/v1/connections/{connection_id}',
      operationId: 'revokeConnection',
      summary: 'Revoke a connection: delete its tokens, keep the collected resources',
      audit: { kind: 'connection.revoked', action: 'D' },
      tags,
      authentication,
      limits: connectionLimits,
      params,
      query: userOfClient,
      responses: { 200: { description: 'The connection is revoked.', schema: done }, ...refusals, ...onlyReads },
    },
    async ({ principal, params: { connection_id }, query, audit }) => {
      const user = await connectionUser(users, principal, query);
      audit(connectionAttributes(user, connection_id));
      await connections.revoke(await findOwn(user, connection_id), user.by);
      return { success: true };
    },
  );
}
