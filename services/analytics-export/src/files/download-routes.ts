import { exportPath } from '@tributary/contracts';
import { type RecordExport, SnapshotGoneError } from '@tributary/record-storage';
import { type Api, type Authentication, HttpError } from '@tributary/service-kit';
import type { Response } from 'express';
import { z } from 'zod';
import { type Accesses, countsOf } from '../audit/audit-log';
import { type ExportCaller, coversTypes, notFound, scopeOf } from '../callers/export-caller';
import { storedTypesIn } from '../conversion/converted-files';
import type { LineSelection } from '../filters/line-selection';
import type { ExportJobs } from '../jobs/export-jobs';
import type { Snapshots } from '../snapshots/snapshots';
import type { ClientSlots } from '../slots/client-slots';
import { type Encoding, fileBytes } from './file-bytes';
import { type FileDescription, expiryOf, factsOf, typesIn } from './file-description';
import type { FileTokens } from './file-tokens';
import { sendPieces } from './send-pieces';

export interface DownloadParts {
  caller: Authentication<ExportCaller>;
  tokens: FileTokens;
  reader: RecordExport;
  snapshots: Snapshots;
  jobs: ExportJobs;
  accesses: Accesses;
  slots: ClientSlots;
  /** A downloader that takes nothing for so long is let go. */
  stalledAfterMs: number;
}

const ndjson = 'application/fhir+ndjson';

/** Serves the files of exports. */
export function serveDownloads(api: Api, parts: DownloadParts): void {
  api.route(
    {
      method: 'get',
      path: `${exportPath}/{resource_type}/{file_token}.ndjson`,
      operationId: 'downloadExportFile',
      summary: 'Download an export file',
      description:
        'Newline Delimited JSON, one FHIR resource per line, all of one resource type; gzip where the client accepts it. Wants the same credentials as the export. A file can be downloaded for 24 hours and has the same bytes each time. Ranges are not served: the whole file comes.',
      tags: ['Bulk export'],
      authentication: parts.caller,
      params: z.object({
        resource_type: z.string().describe('The type of the entry in the manifest.'),
        file_token: z.string().describe('As in the manifest.'),
      }),
      responses: {
        200: { description: 'The file.', contentType: ndjson, schema: z.string() },
        401: { description: 'The credentials are missing or wrong.' },
        404: { description: 'No such file for these credentials.' },
        410: { description: 'The file has expired.' },
      },
    },
    async ({ params, principal, request, response, requestId }) => {
      const refused = (error: HttpError): Promise<never> =>
        parts.accesses
          .record({ requestId, action: 'download', caller: principal }, 'refused')
          .then(() => Promise.reject(error));
      const description = parts.tokens.open(params.file_token, scopeOf(principal), params.resource_type);
      if (!description || !isCovered(principal, description)) return refused(notFound('file'));
      if (expiryOf(factsOf(description)).getTime() <= Date.now()) return refused(expired());
      const selection = await selectionOf(parts.jobs, description);
      if (!selection) return refused(notFound('file'));
      const encoding: Encoding = request.acceptsEncodings('gzip', 'identity') === 'gzip' ? 'gzip' : 'identity';
      if (request.method === 'HEAD') writeHead(response, description, encoding).end();
      else
        await parts.slots.within(principal.clientId, () =>
          send(parts, { description, selection, encoding, caller: principal, requestId }, response),
        );
      return undefined;
    },
  );
}

/** Whether the caller's token covers the types of the file; of resources that are converted, those that they become or those that they were. */
function isCovered(caller: ExportCaller, description: FileDescription): boolean {
  return coversTypes(caller, typesIn(description)) || coversTypes(caller, storedTypesIn(description));
}

/** What is left of the file's lines; undefined when it stood with a job that was deleted. */
async function selectionOf(jobs: ExportJobs, description: FileDescription): Promise<LineSelection | undefined> {
  if (description.of !== 'resources' || description.job === undefined)
    return description.of === 'resources' ? (description.selection ?? {}) : {};
  return (await jobs.requestOf(description.job))?.request.lines;
}

function writeHead(response: Response, description: FileDescription, encoding: Encoding): Response {
  const facts = factsOf(description);
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
  description: FileDescription;
  selection: LineSelection;
  encoding: Encoding;
  caller: ExportCaller;
  requestId: string;
}

/** Sends the file and records what became of it. The answer begins when the first piece is there, so that what cannot be read gets an honest status. */
async function send(
  { reader, snapshots, accesses, stalledAfterMs }: DownloadParts,
  { description, selection, encoding, caller, requestId }: Download,
  response: Response,
): Promise<void> {
  // The downloader may have gone while it waited for its turn.
  if (response.destroyed) return;
  const access = await accesses.begin({ requestId, action: 'download', caller, resources: countsOf([description]) });
  const begin = (): void => void writeHead(response, description, encoding);
  try {
    await snapshots.readable();
    const { complete, bytes } = await sendPieces(fileBytes(reader, description, selection, encoding), response, {
      begin,
      stalledAfterMs,
    });
    await access.end(complete ? 'done' : 'broken off', { bytes });
  } catch (error) {
    await access.end('failed').catch(() => undefined);
    throw error instanceof SnapshotGoneError ? expired() : error;
  }
}

function expired(): HttpError {
  return new HttpError(410, 'expired', 'the file has expired: export again');
}
