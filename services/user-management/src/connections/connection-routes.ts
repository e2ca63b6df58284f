import {
  type ConnectionEntry,
  connectionDetail,
  connectionId,
  connectionList,
  done,
  refreshedConnection,
  serviceError,
} from '@tributary/contracts';
import { type AccessTokens, type Api, type AuthenticatedUser, accessTokenAuthentication } from '@tributary/service-kit';
import { z } from 'zod';
import type { CollectionQueue } from '../collection/collection-queue';
import type { Connection } from './connection';
import { connectionNotFound, connectionRevoked, needsReauthorization } from './connection-errors';
import type { Connections } from './connections';

export interface ConnectionRoutesDependencies {
  accessTokens: AccessTokens;
  connections: Connections;
  collectionQueue: CollectionQueue;
}

const params = z.object({ connection_id: connectionId });
const refreshQuery = z.object({
  full: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      '`true` reads everything again, and finds what the health system has deleted or loaded late. Otherwise only changes are requested where the health system supports that, and everything from time to time. While a collection is under way, the next one is full.',
    ),
});
const notSignedIn = { 401: { description: 'The access token is missing or not valid.', schema: serviceError } };
const refusals = {
  ...notSignedIn,
  400: { description: 'The connection_id is not a UUID.', schema: serviceError },
  404: { description: 'The user has no such connection.', schema: serviceError },
};

/** Routes under `{base_url}/connect/v1/connections`, with a user's access token. */
export function addConnectionRoutes(
  api: Api,
  { accessTokens, connections, collectionQueue }: ConnectionRoutesDependencies,
): void {
  const authentication = accessTokenAuthentication(accessTokens);
  const tags = ['Connections'];
  const findOwn = async ({ serviceUserId }: AuthenticatedUser, id: string): Promise<Connection> => {
    const connection = await connections.findOfUser(serviceUserId, id);
    if (!connection) throw connectionNotFound();
    return connection;
  };

  /** Why a connection cannot be collected, from its state after the attempt. */
  const refusalOf = async (user: AuthenticatedUser, id: string): Promise<Error> => {
    const { status, error } = await findOwn(user, id);
    return status === 'revoked' ? connectionRevoked() : needsReauthorization(error);
  };

  const entryOf = async (connection: Connection): Promise<ConnectionEntry> => {
    const [entry] = await connections.entriesOf([connection]);
    if (!entry) throw connectionNotFound();
    return entry;
  };

  api.route(
    {
      method: 'get',
      path: '/connect/v1/connections',
      operationId: 'listConnections',
      summary: 'The connections of the user',
      tags,
      authentication,
      responses: { 200: { description: 'All of them, oldest first.', schema: connectionList }, ...notSignedIn },
    },
    async ({ principal }) => ({
      success: true,
      entry: await connections.entriesOf(await connections.listOfUser(principal.serviceUserId)),
    }),
  );

  api.route(
    {
      method: 'get',
      path: '/connect/v1/connections/{connection_id}',
      operationId: 'getConnection',
      summary: 'A connection, with the progress and the result of each resource type',
      tags,
      authentication,
      params,
      responses: { 200: { description: 'The connection.', schema: connectionDetail }, ...refusals },
    },
    async ({ principal, params: { connection_id } }) => {
      const connection = await findOwn(principal, connection_id);
      const { progress, lastResult } = connection;
      return { success: true, ...(await entryOf(connection)), types: progress, results: lastResult?.types ?? [] };
    },
  );

  api.route(
    {
      method: 'post',
      path: '/connect/v1/connections/{connection_id}/refresh',
      operationId: 'refreshConnection',
      summary: 'Collect again now',
      tags,
      authentication,
      params,
      query: refreshQuery,
      responses: {
        200: { description: 'The connection, with status `collecting`.', schema: refreshedConnection },
        ...refusals,
        409: {
          description:
            'The user must connect again: `needs_reauthorization` when the grant cannot be used any more, `revoked` when the user has disconnected.',
          schema: serviceError,
        },
      },
    },
    async ({ principal, params: { connection_id }, query: { full } }) => {
      const connection = await findOwn(principal, connection_id);
      const job = await connections.requestCollection(connection, full === 'true');
      if (!job) throw await refusalOf(principal, connection_id);
      await collectionQueue.tryAdd([job]);
      return { success: true, ...(await entryOf(await findOwn(principal, connection_id))) };
    },
  );

  api.route(
    {
      method: 'delete',
      path: '/connect/v1/connections/{connection_id}',
      operationId: 'revokeConnection',
      summary: 'Revoke a connection: delete its tokens, keep the collected resources',
      tags,
      authentication,
      params,
      responses: { 200: { description: 'The connection is revoked.', schema: done }, ...refusals },
    },
    async ({ principal, params: { connection_id } }) => {
      await connections.revoke(await findOwn(principal, connection_id));
      return { success: true };
    },
  );
}
