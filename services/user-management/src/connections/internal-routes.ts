import {
  type ConnectionForCollection,
  accessTokenRequest,
  collectionReport,
  connectionForCollection,
  connectionId,
  connectionStatusRequest,
  connectionStatuses,
  healthSystemAccess,
  serviceError,
} from '@tributary/contracts';
import { type Api, serviceKeyAuthentication } from '@tributary/service-kit';
import { z } from 'zod';
import { grantEntity } from '../grants/grant';
import { accessTokenOf } from '../grants/grant-access-tokens';
import { applyReport, isInProgress } from '../collection/collection-reports';
import type { Dependencies } from '../dependencies';
import { healthSystemPaused } from '../health-systems/paused-hosts';
import type { Connection } from './connection';
import { connectionNotFound, consentEnded, needsReauthorization, staleCollection } from './connection-errors';
import type { ConsentedAccess } from './connections';
import { openPatientId, openPerson } from './people';

const params = z.object({ connection_id: connectionId });
const collectionParams = params.extend({ collection_id: z.uuid() });
const notFound = { 404: { description: 'The connection is revoked or deleted.', schema: serviceError } };

/** The internal API for the worker; its schemas are in `@tributary/contracts`, connections. */
export function serveCollections(api: Api, dependencies: Dependencies): void {
  const { database, keys, connections } = dependencies;
  const authentication = serviceKeyAuthentication(dependencies.config.SERVICE_KEYS, ['ingestion-worker']);
  const findUnrevoked = async (id: string): Promise<Connection> => {
    await connections.revokeIfExpired(id);
    const connection = await connections.findUnrevoked(id);
    if (!connection) throw connectionNotFound();
    return connection;
  };

  const findConsented = async (id: string): Promise<ConsentedAccess> => {
    await connections.revokeIfExpired(id);
    const access = await connections.accessOf(id);
    if (!access) throw connectionNotFound();
    if (access.status === 'revoked') throw consentEnded();
    return access;
  };

  api.route(
    {
      method: 'get',
      path: '/internal/v1/connections/{connection_id}',
      operationId: 'findConnection',
      summary: 'What a collection needs of a connection',
      audit: { kind: 'connection.read', action: 'R' },
      authentication,
      params,
      responses: { 200: { description: 'The connection.', schema: connectionForCollection }, ...notFound },
    },
    async ({ params: { connection_id }, audit }): Promise<ConnectionForCollection> => {
      const entities = [{ type: 'Connection', id: connection_id }];
      audit({ entities });
      const connection = await findUnrevoked(connection_id);
      audit({ entities, subject: connection.serviceUserId, clientId: connection.clientId });
      const grant = connection.grantId
        ? await database.getRepository(grantEntity).findOneBy({ grantId: connection.grantId })
        : null;
      const key = await keys.ofUser(connection.serviceUserId);
      return {
        connection_id,
        client_id: connection.clientId,
        service_user_id: connection.serviceUserId,
        health_system_id: connection.healthSystemId,
        fhirVersion: connection.fhirVersion,
        fhir_base_url: connection.fhirBaseUrl,
        patient_id: openPatientId(key, connection.patientIdSealed),
        ...(connection.personSealed ? { person: openPerson(key, connection.personSealed) } : {}),
        requested_scope: grant?.requestedScope ?? '',
        granted_scope: grant?.scope ?? '',
        search_parameters: grant?.searchParameters ?? {},
        consented_types: await connections.consentedTypes(connection),
        status: connection.status,
        collection_id: connection.collectionId,
        last_completed_at: connection.lastCompletedAt?.toISOString() ?? null,
        is_full_requested: connection.fullCollection === 'under_way',
        ...((await connections.accessOf(connection_id))?.isPaused ? { is_paused: true } : {}),
      };
    },
  );

  api.route(
    {
      method: 'post',
      path: '/internal/v1/connections/status',
      operationId: 'connectionStatuses',
      audit: { none: 'the worker reads the states of ids that it has, without their users and health systems' },
      summary: 'Which connections exist, and their status',
      authentication,
      body: connectionStatusRequest,
      responses: { 200: { description: 'Those that exist.', schema: connectionStatuses } },
    },
    async ({ body }) => ({ connections: await connections.statuses(body.connection_ids) }),
  );

  api.route(
    {
      method: 'post',
      path: '/internal/v1/connections/{connection_id}/access-token',
      operationId: 'accessToken',
      summary: 'A valid access token for the health system',
      audit: { kind: 'grant.token-used', action: 'E' },
      authentication,
      params,
      body: accessTokenRequest,
      responses: {
        200: { description: 'The token. It is not used after the end of the consent.', schema: healthSystemAccess },
        404: { description: 'The connection is deleted.', schema: serviceError },
        409: {
          description:
            'The user must connect again, the consent has ended, or the operator has paused the health system.',
          schema: serviceError,
        },
        503: {
          description: 'The token cannot be refreshed at the moment. `Retry-After` says when it can be, in seconds.',
          schema: serviceError,
        },
      },
    },
    async ({ params: { connection_id }, body, audit }) => {
      audit({ entities: [{ type: 'Connection', id: connection_id }] });
      const { grantId, serviceUserId, clientId, isPaused } = await findConsented(connection_id);
      audit({ subject: Number(serviceUserId), clientId });
      if (isPaused) throw healthSystemPaused();
      const token = grantId ? await accessTokenOf(dependencies, grantId, body) : undefined;
      // The consent can end while the token is refreshed.
      const { error, consentExpiresAt } = await findConsented(connection_id);
      if (!token) throw needsReauthorization(error);
      return { ...token, expires_at: earlierOf(token.expires_at, consentExpiresAt) };
    },
  );

  api.route(
    {
      method: 'get',
      path: '/internal/v1/connections/{connection_id}/collections/{collection_id}',
      operationId: 'findCollection',
      audit: { none: 'the worker asks before each batch, which is recorded' },
      summary: 'Whether a collection is in progress, with a consent that has not ended',
      authentication,
      params: collectionParams,
      responses: {
        200: { description: 'It is in progress.' },
        409: { description: 'It is not, or its consent has ended: nothing may be stored.', schema: serviceError },
      },
    },
    async ({ params: { connection_id, collection_id } }) => {
      if (await isInProgress(database, connection_id, collection_id)) return {};
      await connections.revokeIfExpired(connection_id);
      throw staleCollection();
    },
  );

  api.route(
    {
      method: 'put',
      path: '/internal/v1/connections/{connection_id}/collections/{collection_id}',
      operationId: 'reportCollection',
      audit: { kind: 'collection.reported', action: 'U' },
      summary: 'Report the progress or the end of a collection',
      authentication,
      params: collectionParams,
      body: collectionReport,
      responses: {
        200: { description: 'The report is stored.' },
        ...notFound,
        409: {
          description: 'Another collection has started, or the operator has paused the health system.',
          schema: serviceError,
        },
      },
    },
    async ({ params: { connection_id, collection_id }, body, audit }) => {
      audit({ entities: [{ type: 'Connection', id: connection_id, query: body.state }] });
      audit(await applyReport(dependencies, connection_id, collection_id, body));
      return {};
    },
  );
}

/** When the worker must ask for the token again: when it expires, or when the consent ends. Null: never. */
function earlierOf(tokenExpiresAt: string | null, consentExpiresAt: Date | null): string | null {
  if (consentExpiresAt === null) return tokenExpiresAt;
  const isConsentFirst = tokenExpiresAt === null || consentExpiresAt.getTime() < Date.parse(tokenExpiresAt);
  return isConsentFirst ? consentExpiresAt.toISOString() : tokenExpiresAt;
}
