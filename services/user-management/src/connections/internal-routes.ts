import {
  type ConnectionError,
  type ConnectionForCollection,
  type ConnectionStatus,
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
import { accessTokenOf } from '../grants/grant-access-tokens';
import { applyReport, isInProgress } from '../collection/collection-reports';
import type { Dependencies } from '../dependencies';
import { openContent } from '../consent/consent-receipts';
import { healthSystemPaused, isConnectionPaused } from '../health-systems/paused-hosts';
import { connectionNotFound, consentEnded, needsReauthorization, staleCollection } from './connection-errors';
import { openPatientId, openPerson } from './people';

const params = z.object({ connection_id: connectionId });
const collectionParams = params.extend({ collection_id: z.uuid() });
const notFound = { 404: { description: 'The connection is revoked or deleted.', schema: serviceError } };

interface ConnectionRow extends Omit<
  ConnectionForCollection,
  'service_user_id' | 'health_system_id' | 'patient_id' | 'person' | 'consented_types' | 'last_completed_at'
> {
  service_user_id: string;
  health_system_id: string;
  patient_id_sealed: Buffer;
  person_sealed: Buffer | null;
  receipt_id: string;
  content_sealed: Buffer;
  last_completed_at: Date | null;
}

const selectConnection = `
SELECT c.connection_id, c.client_id, c.service_user_id, c.health_system_id, c.fhir_version AS "fhirVersion",
  c.fhir_base_url, c.patient_id_sealed, c.person_sealed, coalesce(g.requested_scope, '') AS requested_scope,
  coalesce(g.scope, '') AS granted_scope, coalesce(g.search_parameters, '{}') AS search_parameters, r.receipt_id,
  r.content_sealed, c.status, c.collection_id, c.last_completed_at,
  coalesce(c.full_collection = 'under_way', false) AS is_full_requested, ${isConnectionPaused('c')} AS is_paused
FROM connection c JOIN consent_receipt r ON r.receipt_id = c.consent_receipt_id
  LEFT JOIN health_system_grant g ON g.grant_id = c.grant_id
WHERE c.connection_id = $1 AND c.status <> 'revoked'`;

/** What the access to the health system of a connection depends on. */
interface AccessRow {
  status: ConnectionStatus;
  grant_id: string | null;
  error: ConnectionError | null;
  client_id: string;
  service_user_id: string;
  consent_expires_at: Date | null;
  is_paused: boolean;
}

const selectAccess = `
SELECT c.status, c.grant_id, c.error, c.client_id, c.service_user_id, r.expires_at AS consent_expires_at,
  ${isConnectionPaused('c')} AS is_paused
FROM connection c LEFT JOIN consent_receipt r ON r.receipt_id = c.consent_receipt_id
WHERE c.connection_id = $1`;

/** The internal API for the worker; its schemas are in `@tributary/contracts`, connections. */
export function serveCollections(api: Api, dependencies: Dependencies): void {
  const { database, keys, connections } = dependencies;
  const authentication = serviceKeyAuthentication(dependencies.config.SERVICE_KEYS, ['ingestion-worker']);
  /** Revokes it first when its consent has run out. */
  const find = async <Row>(statement: string, id: string): Promise<Row> => {
    await connections.revokeIfExpired(id);
    const [row] = (await database.query(statement, [id])) as Row[];
    if (!row) throw connectionNotFound();
    return row;
  };
  const findConsented = async (id: string): Promise<AccessRow> => {
    const access = await find<AccessRow>(selectAccess, id);
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
      const { patient_id_sealed, person_sealed, receipt_id, content_sealed, last_completed_at, is_paused, ...row } =
        await find<ConnectionRow>(selectConnection, connection_id);
      const serviceUserId = Number(row.service_user_id);
      audit({ entities, subject: serviceUserId, clientId: row.client_id });
      const key = await keys.ofUser(serviceUserId);
      return {
        ...row,
        service_user_id: serviceUserId,
        health_system_id: Number(row.health_system_id),
        patient_id: openPatientId(key, patient_id_sealed),
        ...(person_sealed ? { person: openPerson(key, person_sealed) } : {}),
        consented_types: openContent(key, { receipt_id, content_sealed }).types,
        last_completed_at: last_completed_at?.toISOString() ?? null,
        ...(is_paused ? { is_paused: true } : {}),
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
    async ({ body }) => ({
      connections: (await database.query(
        'SELECT connection_id, status FROM connection WHERE connection_id = ANY ($1)',
        [body.connection_ids],
      )) as z.output<typeof connectionStatuses>['connections'],
    }),
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
      const { grant_id, service_user_id, client_id, is_paused } = await findConsented(connection_id);
      audit({ subject: Number(service_user_id), clientId: client_id });
      if (is_paused) throw healthSystemPaused();
      const token = grant_id ? await accessTokenOf(dependencies, grant_id, body) : undefined;
      // The consent can end while the token is refreshed.
      const { error, consent_expires_at } = await findConsented(connection_id);
      if (!token) throw needsReauthorization(error);
      return { ...token, expires_at: earlierOf(token.expires_at, consent_expires_at) };
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
