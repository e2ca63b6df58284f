import bodyParser from 'body-parser';
import type { RequestHandler } from 'express';
import { HttpError } from './http-error';

/** The largest body of a request, in bytes. */
export const maxBodyBytes = 5 * 1024 * 1024;
const formOrJson = ['application/x-www-form-urlencoded', 'application/json'];

/**
 * Refuses a body by its declared length before it arrives; body-parser would read all of it first. Node discards the
 * rest of the body, so that the client can read the response while it still sends.
 */
export const refuseDeclaredLength: RequestHandler = (request, _response, next) => {
  if (Number(request.headers['content-length'] ?? 0) <= maxBodyBytes) return next();
  throw new HttpError('too_large', 'the body is too large: at most 5 MB are allowed');
};

/** Refuses other media types than these; body-parser would ignore a body that it does not read. */
const refuseOtherMediaTypes =
  (mediaTypes: readonly string[]): RequestHandler =>
  (request, _response, next) => {
    const { headers } = request;
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
    if (hasBody && request.is([...mediaTypes]) === false)
      throw new HttpError(
        'unsupported_media_type',
        `send the input as ${mediaTypes.join(' or ')}, with this Content-Type`,
      );
    next();
  };

/** Parse JSON and forms of at most 5 MB. */
export const jsonAndForms: readonly RequestHandler[] = [
  refuseDeclaredLength,
  bodyParser.json({ limit: maxBodyBytes, strict: true }),
  bodyParser.urlencoded({ limit: maxBodyBytes, extended: false }),
];

/** As `jsonAndForms`, and refuse other media types than these with 415. */
export function onlyMediaTypes(mediaTypes: readonly string[] = formOrJson): RequestHandler[] {
  return [refuseDeclaredLength, refuseOtherMediaTypes(mediaTypes), ...jsonAndForms.slice(1)];
}
