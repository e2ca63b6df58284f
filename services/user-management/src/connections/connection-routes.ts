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
  type RouteRequest,
  HttpError,
  rateLimitHeaders,
  resultsOf,
  showLimits,
  takeAll,
} from '@tributary/service-kit';
import { z } from 'zod';
import type { RequeueRefusal } from '../collection/requeue-collection';
import type { Dependencies } from '../dependencies';
import { userInactive } from '../users/user-errors';
import type { Connection } from './connection-entry';
import { type ConnectionCaller, type ConnectionUser, connectionUser, userOfClient } from './connection-caller';
import { connectionNotFound, consentEnded, needsReauthorization } from './connection-errors';

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
type NamingCall = Pick<
  RouteRequest<ConnectionCaller, typeof params, typeof userOfClient, undefined, undefined>,
  'principal' | 'params' | 'query' | 'audit'
>;
interface Named {
  user: ConnectionUser;
  connection: Connection;
}

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
export function serveConnections(
  api: Api,
  { callerAuthentication, users, connections, collectionQueue, limits }: Dependencies,
): void {
  const common = { tags: ['Connections'], authentication: callerAuthentication, limits: limits.connections };
  const ofOne = { ...common, params, query: userOfClient };
  /** The connection that a call names, also for the audit log. */
  const findNamed = async ({ principal, params: { connection_id: id }, query, audit }: NamingCall): Promise<Named> => {
    const user = await connectionUser(users, principal, query);
    audit({ subject: user.serviceUserId, entities: [{ type: 'Connection', id }] });
    return { user, connection: await findOwn(user, id) };
  };
  const findOwn = async ({ serviceUserId }: ConnectionUser, id: string): Promise<Connection> => {
    const connection = await connections.findOfUser(serviceUserId, id);
    if (!connection) throw connectionNotFound();
    return connection;
  };
  const entryOf = async (connection: Connection): Promise<ConnectionEntry> => {
    const [entry] = await connections.entriesOf(connection.service_user_id, [connection]);
    if (!entry) throw connectionNotFound();
    return entry;
  };
  /** Why a connection cannot be collected, from its state after the attempt. */
  const refusalOf = async (connection: Connection, refusal: RequeueRefusal): Promise<Error> => {
    if (refusal === 'user_inactive') return userInactive();
    if (connection.status !== 'revoked') return needsReauthorization(connection.error);
    return (await entryOf(connection)).consent?.ended_by === 'expiry'
      ? consentEnded()
      : new HttpError('revoked', 'the user has disconnected this health system; the user must connect again');
  };

  api.route(
    {
      method: 'get',
      path: '/connect/v1/connections',
      operationId: 'listConnections',
      summary: 'The connections of the user',
      audit: { kind: 'connection.read', action: 'R' },
      ...common,
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
      ...ofOne,
      responses: { 200: { description: 'The connection.', schema: connectionDetail }, ...refusals },
    },
    async (call) => {
      const { connection } = await findNamed(call);
      const { progress, last_result } = connection;
      return { success: true, ...(await entryOf(connection)), types: progress, results: last_result?.types ?? [] };
    },
  );

  api.route(
    {
      method: 'get',
      path: '/connect/v1/connections/{connection_id}/consent',
      operationId: 'getConsent',
      summary: 'The receipt of what the user agreed to, and those of earlier consents',
      audit: { kind: 'connection.read', action: 'R' },
      ...ofOne,
      responses: {
        200: { description: 'The receipt of the last consent.', schema: connectionConsent },
        ...refusals,
      },
    },
    async (call) => {
      const { connection } = await findNamed(call);
      return { success: true, ...(await connections.consentOf(connection)) };
    },
  );

  api.route(
    {
      method: 'post',
      path: '/connect/v1/connections/{connection_id}/refresh',
      operationId: 'refreshConnection',
      summary: 'Collect again now',
      audit: { kind: 'connection.refreshed', action: 'E' },
      ...ofOne,
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
    async (call) => {
      const { user, connection } = await findNamed(call);
      const { connection_id: connectionId } = connection;
      if (!user.isActive) throw userInactive();
      const { refreshOfConnection, refreshOfClient } = limits;
      const taken = [
        ...(refreshOfConnection ? [{ limit: refreshOfConnection, key: connectionId }] : []),
        ...(refreshOfClient ? [{ limit: refreshOfClient, key: user.clientId }] : []),
      ];
      showLimits(call.response, await takeAll(taken, 1, resultsOf(call.response)));
      const requested = await connections.requestCollection(connectionId, call.query.full === 'true');
      if ('refusal' in requested) throw await refusalOf(await findOwn(user, connectionId), requested.refusal);
      await collectionQueue.tryAdd([requested.job]);
      return { success: true, ...(await entryOf(await findOwn(user, connectionId))) };
    },
  );

  api.route(
    {
      method: 'delete',
      path: '/connect/v1/connections/{connection_id}',
      operationId: 'revokeConnection',
      summary: 'Revoke a connection: delete its tokens, keep the collected resources',
      audit: { kind: 'connection.revoked', action: 'D' },
      ...ofOne,
      responses: { 200: { description: 'The connection is revoked.', schema: done }, ...refusals, ...onlyReads },
    },
    async (call) => {
      const { user, connection } = await findNamed(call);
      await connections.revoke(connection, user.by);
      return { success: true };
    },
  );
}
