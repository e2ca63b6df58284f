import type { IncomingMessage } from 'node:http';
import type { AuditEntity } from '@tributary/audit-log';
import {
  type ResourceOutcome,
  type SourceDeletion,
  attachmentHeaders,
  attachmentMediaType,
  resourceOutcome,
  unresolvedReferencesQuery,
  unresolvedReferences,
  batchResult,
  batchSource,
  healthSystemIdText,
  serviceUserIdText,
  referenceResolution,
  sourceDeletion,
  sourceDeletions,
  sourceReferences,
  sourceReferencesQuery,
} from '@tributary/contracts';
import type { Release } from '@tributary/fhir-definitions';
import { type KeysStatusReader, serveKeysStatus } from '@tributary/key-providers';
import { RecordDestroyedError, type RecordStorage, type ResourceKey, isResourceId } from '@tributary/record-storage';
import {
  Api,
  type ApiAudit,
  HttpError,
  badRequest,
  ClientCancellation,
  serviceKeyAuthentication,
  serviceErrorFormat,
  type ServiceKeys,
} from '@tributary/service-kit';
import bodyParser from 'body-parser';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { z } from 'zod';
import { defaultContentLimits } from '../fhir-http/limits';
import { UnresolvedReferences } from './unresolved-references';
import { CollectionSource } from './collection-source';
import { listUnresolved } from './list-unresolved';
import { resolveReferences } from './resolve-references';
import { deleteFromSource, listSourceReferences } from './source-references';
import { storeAttachment } from './store-attachment';
import { storeBatch } from './store-batch';

export interface InternalApiDependencies {
  storage: RecordStorage;
  pool: Pool;
  serviceKeys: ServiceKeys;
  keysStatus: KeysStatusReader;
  audit: ApiAudit;
  log: Logger;
}

const params = z.object({ service_user_id: serviceUserIdText });
const sourceQuery = batchSource.extend({ health_system_id: healthSystemIdText });
const unresolvedReferencesSourceQuery = unresolvedReferencesQuery.extend({ health_system_id: healthSystemIdText });

const heldReferencesQuery = sourceReferencesQuery.extend({ health_system_id: healthSystemIdText });

/**
 * The API for the ingestion worker, user management and the console. Its clients are `RecordsClient` and
 * `OperatorKeysClient` of the contracts package.
 */
export function internalApi({ storage, pool, serviceKeys, keysStatus, audit, log }: InternalApiDependencies): Api {
  const authentication = serviceKeyAuthentication(serviceKeys, ['ingestion-worker']);
  const isText = ({ headers }: IncomingMessage): boolean => headers['content-type'] !== attachmentMediaType;
  const bodyParsers = [bodyParser.text({ type: isText, limit: '64mb', defaultCharset: 'utf-8' })];
  const api = new Api({
    title: 'fhir-store, internal',
    description: 'For other services.',
    serverUrl: 'http://localhost',
    errorFormat: serviceErrorFormat,
    log,
    audit,
    bodyParsers,
    documentation: { serviceKeys },
  })
    .route(
      {
        method: 'post',
        path: '/internal/v1/records/{service_user_id}/batches',
        operationId: 'storeBatch',
        summary: 'Store collected resources',
        authentication,
        params,
        query: sourceQuery,
        audit: { kind: 'collection.batch', action: 'C' },
        responses: { 200: { description: 'What became of each line.', schema: batchResult } },
      },
      ({ params: { service_user_id: userId }, query, request, response, audit: note }) =>
        rejectDestroyed(async () => {
          note({ subject: userId, clientId: query.client_id });
          const record = storage.record(userId, query.client_id, new ClientCancellation(response));
          const source = await CollectionSource.of(record, query);
          const stored = await storeBatch(record, pool, source, linesOf(request.body));
          note({ entities: [batchEntity(query.release, stored.results)] });
          return stored;
        }),
    )
    .route(
      {
        method: 'post',
        path: '/internal/v1/records/{service_user_id}/attachments',
        operationId: 'storeAttachment',
        summary: 'Store an attachment while it arrives',
        authentication,
        params,
        query: sourceQuery,
        headers: attachmentHeaders,
        audit: { kind: 'collection.batch', action: 'C' },
        responses: {
          200: { description: 'What became of it.', schema: resourceOutcome },
          413: {
            description: 'It is larger than the limit, or no object storage is configured.',
            codes: ['too_large'],
          },
        },
      },
      ({ params: { service_user_id: userId }, query, headers, request, response, audit: note }) =>
        rejectDestroyed(async () => {
          note({ subject: userId, clientId: query.client_id });
          const record = storage.record(userId, query.client_id, new ClientCancellation(response));
          if (!record.storesContent) throw new HttpError('too_large', 'no object storage is configured');
          const source = await CollectionSource.of(record, query);
          const attachment = {
            sourceId: headers['x-attachment-source-id'],
            mediaType: headers['x-attachment-media-type'],
          };
          const content = limitedContent(request, defaultContentLimits.storedBytes);
          const stored = await storeAttachment(record, pool, source, attachment, content);
          note({ entities: [batchEntity(query.release, [stored])] });
          return stored;
        }),
    )
    .route(
      {
        method: 'get',
        path: '/internal/v1/records/{service_user_id}/unresolved-references',
        operationId: 'listUnresolvedReferences',
        summary: 'References whose targets have not come',
        authentication,
        params,
        query: unresolvedReferencesSourceQuery,
        audit: { kind: 'collection.read', action: 'R' },
        responses: { 200: { description: 'One page of them.', schema: unresolvedReferences } },
      },
      ({ params: { service_user_id: userId }, query, audit: note }) =>
        rejectDestroyed(async () => {
          note({ subject: userId, clientId: query.client_id });
          const record = storage.record(userId, query.client_id);
          const unresolved = new UnresolvedReferences(pool, userId, await CollectionSource.of(record, query));
          const page = await listUnresolved(record, unresolved, resourceKeyOf(query.after));
          note({ entities: [{ release: query.release, count: page.references.length }] });
          return page;
        }),
    )
    .route(
      {
        method: 'post',
        path: '/internal/v1/records/{service_user_id}/resolve-references',
        operationId: 'resolveReferences',
        summary: 'End a collection',
        authentication,
        params,
        query: sourceQuery,
        audit: { kind: 'collection.resolve', action: 'U' },
        responses: { 200: { description: 'How many resources changed.', schema: referenceResolution } },
      },
      ({ params: { service_user_id: userId }, query, audit: note }) =>
        rejectDestroyed(async () => {
          note({ subject: userId, clientId: query.client_id });
          const record = storage.record(userId, query.client_id);
          const unresolved = new UnresolvedReferences(pool, userId, await CollectionSource.of(record, query));
          const reverted = await resolveReferences(record, unresolved);
          note({ entities: [{ release: query.release, count: reverted }] });
          return { reverted };
        }),
    )
    .route(
      {
        method: 'post',
        path: '/internal/v1/records/{service_user_id}/source-references',
        operationId: 'listSourceReferences',
        summary: 'The resources that the record holds from a source',
        authentication,
        params,
        query: heldReferencesQuery,
        audit: { kind: 'collection.read', action: 'R' },
        responses: { 200: { description: 'One page of them.', schema: sourceReferences } },
      },
      ({ params: { service_user_id: userId }, query, request, response, audit: note }) =>
        rejectDestroyed(async () => {
          note({ subject: userId, clientId: query.client_id });
          const { type, patient_id: patientId, after } = query;
          if (after !== undefined && !isResourceId(after)) throw badRequest(invalidAfter);
          const record = storage.record(userId, query.client_id, new ClientCancellation(response));
          const source = await CollectionSource.of(record, query);
          const without = new Set(linesOf(request.body));
          const page = await listSourceReferences(record, source, { type, patientId, without, after });
          note({ entities: [{ release: query.release, type, count: page.references.length }] });
          return page;
        }),
    )
    .route(
      {
        method: 'post',
        path: '/internal/v1/records/{service_user_id}/source-deletions',
        operationId: 'deleteFromSource',
        summary: 'Delete what a source has deleted',
        authentication,
        params,
        query: sourceQuery,
        audit: { kind: 'collection.delete', action: 'D' },
        responses: { 200: { description: 'What became of each line.', schema: sourceDeletions } },
      },
      ({ params: { service_user_id: userId }, query, request, audit: note }) =>
        rejectDestroyed(async () => {
          note({ subject: userId, clientId: query.client_id });
          const record = storage.record(userId, query.client_id);
          const source = await CollectionSource.of(record, query);
          const results = await deleteFromSource(record, pool, source, deletionsOf(request.body));
          const count = results.filter((result) => result === 'deleted').length;
          note({ entities: [{ release: query.release, count }] });
          return { results };
        }),
    )
    .route(
      {
        method: 'delete',
        path: '/internal/v1/records/{service_user_id}',
        operationId: 'destroyRecord',
        summary: 'Destroy a record for good',
        authentication: serviceKeyAuthentication(serviceKeys, ['user-management']),
        audit: { kind: 'record.destroyed', action: 'D' },
        params,
        responses: {
          204: {
            description:
              'Its key and its rows are deleted. Backups of the key schema that are older still hold the key until they expire.',
          },
        },
      },
      async ({ params: { service_user_id: userId }, response, audit: note }) => {
        note({ subject: userId });
        await storage.destroyRecord(userId);
        response.status(204);
        return undefined;
      },
    );
  serveKeysStatus(api, { serviceKeys, keys: keysStatus });
  return api;
}

/** How many resources of each type were stored or found unchanged, for the audit log. */
function batchEntity(release: Release, results: readonly ResourceOutcome[]): AuditEntity {
  const counts = new Map<string, number>();
  for (const { outcome, type = '' } of results) {
    const name = `${type} ${outcome}`;
    if (outcome !== 'failed') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return { release, count: results.length, counts: Object.fromEntries(counts) };
}

/** The NDJSON lines of a body, without empty lines. */
function linesOf(body: unknown): string[] {
  return typeof body === 'string' ? body.split(/\r?\n/).filter((line) => line.trim() !== '') : [];
}

/** How long a worker may send nothing of an attachment, in milliseconds. */
const idleBodyMs = 120_000;

/** @throws HttpError 413 above `maxBytes` */
async function* limitedContent(request: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  // A worker that is gone leaves the connection open.
  request.setTimeout(idleBodyMs, () => request.destroy());
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      bytes += (piece as Buffer).length;
      if (bytes > maxBytes) throw new HttpError('too_large', `an attachment may have ${maxBytes / 1_000_000} MB`);
      yield piece as Buffer;
    }
  } finally {
    // The worker may read the response only when it has sent the whole body, for which it has as long as before.
    if (request.readableEnded) request.setTimeout(0);
    else request.resume();
  }
}

/** @throws HttpError 400 when a line is no deletion */
function deletionsOf(body: unknown): SourceDeletion[] {
  return linesOf(body).map((line) => {
    try {
      return sourceDeletion.parse(JSON.parse(line));
    } catch {
      throw badRequest('a line is no deletion');
    }
  });
}

const invalidAfter = 'after: must be the `next` of the page before';

function resourceKeyOf(after: string | undefined): ResourceKey | undefined {
  if (after === undefined) return undefined;
  const [, typeCode = '', id = ''] = /^(\d{1,5})\/(.+)$/.exec(after) ?? [];
  if (!isResourceId(id)) throw badRequest(invalidAfter);
  return { typeCode: Number(typeCode), id };
}

/** @throws HttpError 410 when the record is destroyed */
async function rejectDestroyed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RecordDestroyedError) throw new HttpError('record_destroyed', 'the record is destroyed');
    throw error;
  }
}
