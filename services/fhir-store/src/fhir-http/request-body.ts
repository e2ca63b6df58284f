import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import bodyParser from 'body-parser';
import { JsonError, type JsonValue, TooManyMembersError, parseJson } from '@tributary/fhir-json';
import { assertOwnRelease, isJson } from './content-negotiation';
import type { UserRecord } from '@tributary/record-storage';
import { ClientGoneError } from '@tributary/service-kit';
import { FhirError, badRequest, contentTooLarge } from './fhir-error';
import type { FhirRequest } from './fhir-request';
import { maxInlineBytes, maxMembers, maxResourceBytes as limit } from './limits';

type WithBody = IncomingMessage & { body?: unknown };

const parser = bodyParser.raw({ type: () => true, limit, inflate: true });

/**
 * The body of a request. It is read once.
 * @throws FhirError 413 above `maxResourceBytes`, 415 for an unknown content encoding
 */
export async function readBytes(request: WithBody, response: ServerResponse): Promise<Buffer> {
  // The parser would wait for the end of a body that is too large. Node discards it after the response.
  if (Number(request.headers['content-length']) > limit) throw tooLarge();
  if (request.body === undefined) await parse(request, response);
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

/** The forms of a body in a FhirRequest, from its bytes. */
export function bodyOf(
  { release, contentType, fullContentType }: Pick<FhirRequest, 'release' | 'contentType' | 'fullContentType'>,
  bytes: () => Promise<Buffer>,
): Pick<FhirRequest, 'bytes' | 'text' | 'body'> {
  const text = async (): Promise<string> => {
    const content = await bytes();
    if (!isUtf8(content)) throw badRequest('the body is not UTF-8', 'structure');
    return content.toString('utf8');
  };
  const body = async (): Promise<JsonValue> => {
    if (!isJson(contentType)) throw new FhirError(415, 'send the resource as application/fhir+json', 'not-supported');
    assertOwnRelease(release, fullContentType);
    return parseBody(await text());
  };
  return { bytes, text, body };
}

/**
 * Reads a body, and uploads it to the object storage when it is large. Holds a few megabytes in memory.
 * @returns the body as it came, or the base64Binary that stands for it
 * @throws FhirError 413 above `maxBytes`, ClientGoneError, ObjectStorageError
 */
export async function uploadBody(
  request: IncomingMessage,
  record: Pick<UserRecord, 'storeContent'>,
  maxBytes: number,
): Promise<Buffer | string> {
  if (Number(request.headers['content-length']) > maxBytes) throw contentTooLarge(maxBytes);
  const pieces = piecesOf(request, maxBytes);
  const first: Buffer[] = [];
  for (let bytes = 0; bytes <= maxInlineBytes;) {
    const next = await pieces.next();
    if (next.done) return Buffer.concat(first);
    first.push(next.value);
    bytes += next.value.length;
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* first.splice(0);
    yield* pieces;
  }
  return record.storeContent(all());
}

/** @throws FhirError 413 above `maxBytes`, ClientGoneError */
async function* piecesOf(request: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      bytes += (piece as Buffer).length;
      if (bytes > maxBytes) throw contentTooLarge(maxBytes);
      yield piece as Buffer;
    }
  } catch (error) {
    throw request.errored ? new ClientGoneError() : error;
  } finally {
    // A client may read the response only when it has sent the whole body.
    request.resume();
  }
}

function parse(request: IncomingMessage, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    parser(request, response, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(bodyError(error));
    });
  });
}

function bodyError(error: unknown): Error {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (status === 413) return tooLarge();
  if (status === 415) return new FhirError(415, 'the encoding of the body is not supported', 'not-supported');
  if (status === 400) return badRequest('the body could not be read', 'structure');
  return error instanceof Error ? error : new Error('the body could not be read');
}

function tooLarge(): FhirError {
  return new FhirError(413, `the body is larger than ${limit / 1024 / 1024} MB`, 'too-long');
}

/**
 * Parses JSON that a client sent.
 * @throws FhirError 400 with the position of the first error, without any content; 413 when it has too many members
 */
export function parseBody(text: string): JsonValue {
  if (text.trim() === '') throw badRequest('the request has no body', 'structure');
  try {
    return parseJson(text, { duplicates: 'refuse', maxMembers: maxMembers.body });
  } catch (error) {
    if (error instanceof TooManyMembersError) throw new FhirError(413, error.message, 'too-long');
    if (error instanceof JsonError) throw badRequest(error.message, 'structure');
    throw error;
  }
}
