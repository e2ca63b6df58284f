import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import bodyParser from 'body-parser';
import { JsonError, type JsonValue, parseJson } from '@tributary/fhir-json';
import { maxResourceBytes as limit } from './limits';
import { FhirError, badRequest } from './fhir-error';

type WithBody = IncomingMessage & { body?: unknown };

const parser = bodyParser.raw({ type: () => true, limit, inflate: true });

/**
 * The body of a request as text.
 * @throws FhirError 413 above `maxResourceBytes`, 415 for an unknown content encoding, 400 when the text is not UTF-8
 */
export async function readBody(request: WithBody, response: ServerResponse): Promise<string> {
  const body = await readBytes(request, response);
  if (!isUtf8(body)) throw badRequest('the body is not UTF-8', 'structure');
  return body.toString('utf8');
}

/**
 * The body of a request.
 * @throws FhirError 413 above `maxResourceBytes`, 415 for an unknown content encoding
 */
export async function readBytes(request: WithBody, response: ServerResponse): Promise<Buffer> {
  // The parser would wait for the end of a body that is too large. Node discards it after the response.
  if (Number(request.headers['content-length']) > limit) throw tooLarge();
  if (request.body === undefined) await parse(request, response);
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
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

/** Parses JSON that a client sent. @throws FhirError 400 with the position of the first error, without any content */
export function parseBody(text: string): JsonValue {
  if (text.trim() === '') throw badRequest('the request has no body', 'structure');
  try {
    return parseJson(text, { duplicates: 'refuse' });
  } catch (error) {
    if (error instanceof JsonError) throw badRequest(error.message, 'structure');
    throw error;
  }
}
