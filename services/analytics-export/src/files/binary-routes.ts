import { exampleValues, exportPath, fhirJsonMediaTypes } from '@tributary/contracts';
import { binaryContent, isJsonObject, parseJson, stringifyJson } from '@tributary/fhir-json';
import { type ExportedBinary, mayHaveReferences, readBinary, releaseOfCode } from '@tributary/record-storage';
import {
  type Api,
  insufficientScope,
  etagOf,
  isNativeRequested,
  mediaRanges,
  nativeHead,
} from '@tributary/service-kit';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { coversTypes, notFound, scopeOf } from '../callers/export-caller';
import type { Dependencies } from '../dependencies';
import { ClientSlots } from '../slots/client-slots';
import { type Sent, sendFile } from './send-file';

/**
 * Attachments that one replica sends at once; each takes up to 40 MB of memory. They have slots of their own: a client
 * that requests attachments while it reads a file would otherwise wait for a slot that the file holds.
 */
const binariesAtOnce = 8;

const contentHeaders = ['ETag', 'Last-Modified', 'Content-Disposition', 'X-Security-Context'] as const;

/**
 * Serves the Binary resources that exported attachments name, by their address relative to the base of exports
 * (https://hl7.org/fhir/uv/bulkdata/export.html#attachments), in their own media type or as FHIR JSON of R4.
 */
export function serveBinaries(api: Api, { caller, limits, records, auditLog, stallTimeoutMs }: Dependencies): void {
  const slots = new ClientSlots(binariesAtOnce);
  api.route(
    {
      method: 'get',
      path: exportPath.replace('$export', 'Binary/{id}'),
      operationId: 'downloadAttachment',
      audit: { none: 'the handler records the begin and the end of the download' },
      summary: 'Download an attachment of an exported resource',
      description:
        'The current content of a Binary of any release in the scope of the credentials, in its own media type; as FHIR JSON when Accept names that with at least the same weight. Attachments have addresses such as Binary/<id>, relative to this base. A Range of bytes gets a 206 response.',
      tags: ['Bulk export'],
      authentication: caller,
      limits: limits.download,
      params: z.object({
        id: z
          .string()
          .describe('The id of the Binary.')
          .meta({ examples: [exampleValues.resource_id] }),
      }),
      responses: {
        200: { description: 'The content.', contentType: '*/*', schema: z.string(), headers: contentHeaders },
        206: {
          description: 'The range of the content.',
          contentType: '*/*',
          schema: z.string(),
          headers: [...contentHeaders, 'Content-Range'],
        },
        401: { description: 'The credentials are missing or wrong.' },
        403: {
          description: 'The scope of the access token does not cover Binary.',
          headers: ['WWW-Authenticate'],
          codes: ['insufficient_scope'],
        },
        404: { description: 'No such Binary for these credentials.' },
      },
    },
    async ({ params: { id }, principal, request, response, requestId }) => {
      if (!coversTypes(principal, ['Binary']))
        throw insufficientScope('the scope of the access token does not cover Binary');
      await slots.run(principal.clientId, async () => {
        const found = await readBinary(records, scopeOf(principal), id);
        if (!found?.json) {
          await auditLog.record({ requestId, kind: 'download', caller: principal, request }, 'refused');
          throw notFound('Binary');
        }
        const sent = representationOf(request, found, found.json);
        const end = await auditLog.begin({
          requestId,
          kind: 'download',
          caller: principal,
          request,
          subject: found.userId,
          entity: { release: releaseOfCode(found.typeCode), type: 'Binary', id, count: 1 },
        });
        await send(sent, request, response, stallTimeoutMs).then(
          ({ complete, bytes }) => end(complete ? 'success' : 'aborted', { bytes }),
          (error: unknown) => end('failed').then(() => Promise.reject(error)),
        );
      });
      return undefined;
    },
  );
}

interface Representation {
  status: number;
  /** Names and values in turn. */
  headers: readonly string[];
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** The content in its own media type, or FHIR JSON when Accept names that and does not prefer the content. */
function representationOf(
  request: Request,
  { typeCode, version, lastUpdated, content: stored }: ExportedBinary,
  json: Buffer,
): Representation {
  const metadata = ['ETag', etagOf(version), 'Last-Modified', new Date(lastUpdated).toUTCString()];
  const { accept } = request.headers;
  const content = binaryContent(json);
  const types = mediaRanges(accept ?? '').flatMap(({ type, quality }) => (quality > 0 ? [type] : []));
  // The media type that the client names: the SMART bulk-data-client recognizes that of DSTU2 only.
  const named = fhirJsonMediaTypes.find((each) => types.includes(each));
  if (named === undefined || isNativeRequested(accept, content.contentType)) {
    const object = mayHaveReferences(json) ? stored.contentOf(content.base64) : undefined;
    const { id, contentType, securityContext } = content;
    const { length } = object ?? content;
    const { status, headers, start, end } = nativeHead(request, { id, contentType, securityContext, length });
    return { status, headers: [...metadata, ...headers], pieces: (object ?? content).bytes(start, end) };
  }
  const body = releaseOfCode(typeCode) === 'r4' ? json : inR4(json);
  const whole = stored.wholeJson(body);
  return {
    status: 200,
    headers: [
      ...metadata,
      'Content-Type',
      `${named}; charset=utf-8`,
      'Content-Length',
      String(whole?.length ?? body.length),
      'Vary',
      'Accept',
    ],
    pieces: whole?.pieces() ?? [body],
  };
}

/** A Binary of DSTU2 or STU3 in R4, which renamed `content` to `data`. */
function inR4(json: Buffer): Buffer {
  const binary = parseJson(json.toString('utf8'));
  if (!isJsonObject(binary)) return json;
  const { content, ...others } = binary;
  return Buffer.from(stringifyJson({ ...others, data: content }));
}

async function send(
  { status, headers, pieces }: Representation,
  request: Request,
  response: Response,
  stallTimeoutMs: number,
): Promise<Sent> {
  const begin = (): void => {
    response.status(status);
    for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] as string, headers[at + 1] as string);
  };
  if (request.method === 'HEAD') {
    begin();
    // GET streams the content uncompressed.
    response.flushHeaders();
    response.end();
    return { complete: true, bytes: 0 };
  }
  return sendFile(pieces, response, begin, stallTimeoutMs);
}
