import { pipeline } from 'node:stream/promises';
import { exportPath } from '@tributary/contracts';
import { type RecordExport, SnapshotGoneError } from '@tributary/record-storage';
import { type Api, type Authentication, HttpError } from '@tributary/service-kit';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { type ExportCaller, notFound, scopeOf } from '../callers/export-caller';
import { type Encoding, fileBytes } from './file-bytes';
import { type FileDescription, type FileFacts, expiryOf, factsOf } from './file-description';
import type { FileTokens } from './file-tokens';

export interface DownloadParts {
  caller: Authentication<ExportCaller>;
  tokens: FileTokens;
  reader: RecordExport;
  /** A downloader that takes nothing for so long is let go. */
  stalledAfterMs: number;
}

const ndjson = 'application/fhir+ndjson';

/** Serves the files of exports. */
export function serveDownloads(api: Api, { caller, tokens, reader, stalledAfterMs }: DownloadParts): void {
  api.route(
    {
      method: 'get',
      path: `${exportPath}/{resource_type}/{file_token}.ndjson`,
      operationId: 'downloadExportFile',
      summary: 'Download an export file',
      description: 'Newline Delimited JSON, one FHIR resource per line, all of one resource type; gzip where the client accepts it. Wants the same credentials as the export. A file can be downloaded for 24 hours and has the same bytes each time. Ranges are not served: the whole file comes.',
      tags: ['Bulk export'],
      authentication: caller,
      params: z.object({ resource_type: z.string().describe('The type of the entry in the manifest.'), file_token: z.string().describe('As in the manifest.') }),
      responses: {
        200: { description: 'The file.', contentType: ndjson, schema: z.string() },
        401: { description: 'The credentials are missing or wrong.' },
        404: { description: 'No such file for these credentials.' },
        410: { description: 'The file has expired.' },
      },
    },
    async ({ params, principal, request, response }) => {
      const description = tokens.open(params.file_token, scopeOf(principal), params.resource_type);
      if (!description) throw notFound('file');
      const facts = factsOf(description);
      if (expiryOf(facts).getTime() <= Date.now()) throw expired();
      const encoding: Encoding = request.acceptsEncodings('gzip', 'identity') === 'gzip' ? 'gzip' : 'identity';
      if (request.method === 'HEAD') writeHead(response, facts, encoding).end();
      else await send(reader, description, encoding, request, response, stalledAfterMs);
      return undefined;
    },
  );
}

function writeHead(response: Response, { type, release, at }: FileFacts, encoding: Encoding): Response {
  const headers = { 'Content-Type': ndjson, 'Content-Disposition': `attachment; filename="${type}.${release}.ndjson"`, 'Accept-Ranges': 'none', Vary: 'Accept-Encoding', Expires: expiryOf({ at }).toUTCString() };
  return response.status(200).set(headers).set(encoding === 'gzip' ? { 'Content-Encoding': 'gzip' } : {});
}

/** Sends the file as fast as it is taken. A fault on the way cuts the connection, so that a part never looks like the whole. */
async function send(reader: RecordExport, description: FileDescription, encoding: Encoding, request: Request, response: Response, stalledAfterMs: number): Promise<void> {
  const bytes = fileBytes(reader, description, encoding)[Symbol.asyncIterator]();
  const first = await firstPiece(bytes);
  writeHead(response, factsOf(description), encoding);
  response.setTimeout(stalledAfterMs, () => request.destroy());
  try {
    await pipeline(rest(first, bytes), response);
  } catch (error) {
    if (!isDownloaderGone(error)) throw error;
  }
}

/** Reads before the answer begins, so that a file that cannot be read gets an honest status. */
async function firstPiece(bytes: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
  try {
    return await bytes.next();
  } catch (error) {
    throw error instanceof SnapshotGoneError ? expired() : error;
  }
}

async function* rest(first: IteratorResult<Buffer>, bytes: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (let piece = first; !piece.done; piece = await bytes.next()) yield piece.value;
  } finally {
    await bytes.return?.();
  }
}

function isDownloaderGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE';
}

function expired(): HttpError {
  return new HttpError(410, 'expired', 'the file has expired: export again');
}
