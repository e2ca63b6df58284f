import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { exampleValues, exportPath } from '@tributary/contracts';
import { type ExportedRecords, SnapshotGoneError, releaseOfCode, streamFile } from '@tributary/record-storage';
import { type Api, HttpError } from '@tributary/service-kit';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { countsOf } from '../audit/audit-log';
import { type ExportCaller, coversTypes, notFound, scopeOf } from '../callers/export-caller';
import { convertingFilter } from '../conversion/convert-lines';
import type { Dependencies } from '../dependencies';
import { issueLine } from '../filters/issue-line';
import { lineFilter } from '../filters/line-filter';
import type { LineSelection } from '../filters/line-selection';
import { NewestRelease } from '../filters/newest-release';
import type { ExportJobs } from '../jobs/export-jobs';
import { ClientSlots } from '../slots/client-slots';
import { deletionBundles } from './deletion-bundles';
import { type ManifestFile, expiryOf, exportedTypes, fileMetadata, storedTypes } from './manifest-file';
import { sendFile } from './send-file';

type Encoding = 'identity' | 'gzip';

/** Downloads of one replica; further ones wait. */
const concurrentDownloads = 16;

const ndjson = 'application/fhir+ndjson';

/** Serves the files of exports. */
export function serveDownloads(api: Api, dependencies: Dependencies): void {
  const { caller, limits, fileTokens, jobs, auditLog } = dependencies;
  const slots = new ClientSlots(concurrentDownloads);
  api.route(
    {
      method: 'get',
      path: `${exportPath}/{resource_type}/{file_token}.ndjson`,
      operationId: 'downloadExportFile',
      audit: { none: 'the handler records the begin and the end of the download' },
      summary: 'Download an export file',
      description:
        'Newline Delimited JSON, one FHIR resource per line, all of one resource type; gzip where the client accepts it. Requires the same credentials as the export. A file can be downloaded for 24 hours and has the same bytes each time. Range requests are not supported.',
      tags: ['Bulk export'],
      authentication: caller,
      limits: limits.download,
      params: z.object({
        resource_type: z
          .string()
          .describe('The type of the entry in the manifest.')
          .meta({ examples: ['Observation'] }),
        file_token: z
          .string()
          .describe('As in the manifest.')
          .meta({ examples: [exampleValues.file_token] }),
      }),
      responses: {
        200: {
          description: 'The file.',
          contentType: ndjson,
          schema: z.string(),
          headers: ['Content-Disposition', 'Expires'],
          example: '{"resourceType":"Observation","id":"3f1c5c34-2d0b-4a5e-8a0c-0d5b1a2c3d4e"}\n',
        },
        401: { description: 'The credentials are missing or wrong.' },
        404: { description: 'No such file for these credentials, or its export was deleted.' },
        410: { description: 'The file has expired.', codes: ['file_expired'] },
      },
    },
    async ({ params, principal, request, response, requestId }) => {
      const refused = (error: HttpError): Promise<never> =>
        auditLog
          .record({ requestId, kind: 'download', caller: principal, request }, 'refused')
          .then(() => Promise.reject(error));
      const file = fileTokens.open(params.file_token, scopeOf(principal), params.resource_type);
      if (!file || !isCovered(principal, file)) return refused(notFound('file'));
      if (expiryOf(fileMetadata(file)).getTime() <= Date.now()) return refused(expired());
      const selection = await selectionOf(jobs, file);
      if (!selection) return refused(notFound('file'));
      const encoding: Encoding = request.acceptsEncodings('gzip', 'identity') === 'gzip' ? 'gzip' : 'identity';
      if (request.method === 'HEAD') writeHead(response, file, encoding).end();
      else
        await slots.run(principal.clientId, () =>
          send(dependencies, { file, selection, encoding, caller: principal, request, requestId }, response),
        );
      return undefined;
    },
  );
}

/**
 * Whether the scope of the caller's token covers the types of the file. For converted resources, the types before or
 * after the conversion do.
 */
function isCovered(caller: ExportCaller, file: ManifestFile): boolean {
  return coversTypes(caller, exportedTypes(file)) || coversTypes(caller, storedTypes(file));
}

/** The filter of the file's lines; undefined when the file belongs to a job that is deleted. */
async function selectionOf(jobs: ExportJobs, file: ManifestFile): Promise<LineSelection | undefined> {
  const own = file.of === 'resources' ? file.selection : undefined;
  if (file.job === undefined) return own ?? {};
  const stored = await jobs.requestOf(file.job);
  return stored && (stored.request.lines ?? {});
}

function writeHead(response: Response, file: ManifestFile, encoding: Encoding): Response {
  const facts = fileMetadata(file);
  const headers = {
    'Content-Type': ndjson,
    'Content-Disposition': `attachment; filename="${facts.type}.${facts.release}.ndjson"`,
    'Accept-Ranges': 'none',
    Vary: 'Accept-Encoding',
    Expires: expiryOf(facts).toUTCString(),
  };
  return response
    .status(200)
    .set(headers)
    .set(encoding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {});
}

interface Download {
  file: ManifestFile;
  selection: LineSelection;
  encoding: Encoding;
  caller: ExportCaller;
  request: Request;
  requestId: string;
}

/**
 * Sends the file and records the outcome. The response starts with the first bytes of the file, so that a file that
 * cannot be read gets an error status.
 */
async function send(
  { records, snapshots, auditLog, stallTimeoutMs }: Dependencies,
  { file, selection, encoding, caller, request, requestId }: Download,
  response: Response,
): Promise<void> {
  // The client may have disconnected while the request waited for a slot.
  if (response.destroyed) return;
  const end = await auditLog.begin({ requestId, kind: 'download', caller, request, resources: countsOf([file]) });
  const begin = (): void => void writeHead(response, file, encoding);
  try {
    await snapshots.readable();
    const pieces = fileBytes(records, file, selection, encoding);
    const { complete, bytes } = await sendFile(pieces, response, begin, stallTimeoutMs);
    await end(complete ? 'success' : 'aborted', { bytes });
  } catch (error) {
    await end('failed').catch(() => undefined);
    throw error instanceof SnapshotGoneError ? expired() : error;
  }
}

function expired(): HttpError {
  return new HttpError('file_expired', 'the file has expired: export again');
}

/**
 * The bytes of a file, the same for every download.
 * @param selection filters the lines of a file of resources
 * @throws SnapshotGoneError when the storage no longer keeps the snapshot
 */
function fileBytes(
  records: ExportedRecords,
  manifestFile: ManifestFile,
  selection: LineSelection,
  encoding: Encoding,
): AsyncIterable<Buffer> | Iterable<Buffer> {
  if (manifestFile.of === 'resources') {
    const { file, convertedFrom } = manifestFile;
    const newest =
      convertedFrom !== undefined && selection.releasePerSource
        ? new NewestRelease(records, releaseOfCode(convertedFrom), file.at)
        : undefined;
    const filter =
      convertedFrom === undefined
        ? lineFilter(file.typeCode, selection, file.at)
        : convertingFilter(convertedFrom, selection, file.at, newest);
    return streamFile(
      records,
      { ...file, typeCode: convertedFrom ?? file.typeCode },
      { encoding, prepare: newest?.prepare, ...(filter ? { filter } : {}) },
    );
  }
  const lines = manifestFile.of === 'deletions' ? deletionBundles(records, manifestFile) : [issueLine(manifestFile)];
  return encoding === 'gzip' ? gzipped(lines) : lines;
}

async function* gzipped(lines: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip();
  // When the lines throw, `pipeline` destroys gzip with the error, and the loop below throws it.
  const filling = pipeline(lines, gzip).catch(() => undefined);
  try {
    for await (const piece of gzip) yield piece as Buffer;
  } finally {
    gzip.destroy();
    await filling;
  }
}
