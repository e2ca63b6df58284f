import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import { InternalCallError } from '@tributary/contracts';
import { ClientGoneError } from './client-signal';
import type { ErrorFormat } from './error-formats';
import { PartialWorkError, isDependencyUnavailable, isOutcomeUnknown } from '../databases/unavailable';
import { HttpError, badRequest, unavailable } from './http-error';

/**
 * The last handler of an API: renders every error in the format of the API. An error that is not an `HttpError` or a
 * known failure of a dependency is logged and becomes a 500 without details.
 */
export function handleErrors(format: ErrorFormat, log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (error instanceof ClientGoneError) {
      response.destroy();
      return;
    }
    const requestId = response.locals['requestId'];
    if (response.headersSent) {
      log.error({ requestId, err: describeError(error) }, 'the request failed after the response had begun');
      response.destroy();
      next();
      return;
    }
    const known = asHttpError(error, response.locals['isSafe'] === true);
    if (known.status >= 500)
      log.error({ requestId, route: response.locals['route'], err: describeError(error) }, known.message);
    response.set(known.headers);
    format(known, response);
  };
}

/**
 * Maps an error to the response of an API.
 * @param isSafe whether the request changes nothing
 */
export function asHttpError(error: unknown, isSafe: boolean): HttpError {
  if (error instanceof HttpError) return error;
  const type = bodyParserErrorType(error);
  if (type === 'entity.too.large') return new HttpError('too_large', 'the body is too large');
  if (type === 'encoding.unsupported' || type === 'charset.unsupported')
    return new HttpError('unsupported_media_type', 'the encoding of the body is not supported');
  if (type === 'request.aborted') return badRequest('the request was aborted');
  if (type) return badRequest('the body cannot be read: it is not what its Content-Type says');
  if (error instanceof URIError) return badRequest('the address is not properly encoded');
  if (!isSafe && isOutcomeUnknown(error))
    return new HttpError(
      'outcome_unknown',
      'a part of the service failed; it is not known whether the request was carried out',
    );
  if (error instanceof InternalCallError || isDependencyUnavailable(error))
    return unavailable('a part of the service is not available; try again shortly');
  return new HttpError('internal_error', 'an unexpected error occurred');
}

/** body-parser sets `type` on its errors, except on those of decompression, which have only a `status`. */
function bodyParserErrorType(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof URIError || !('status' in error)) return undefined;
  if ('type' in error) return String(error.type);
  return error.status === 400 ? 'unreadable' : undefined;
}

/**
 * The fields of an error that may be logged. Messages, `detail` and `parameters` of database errors can quote values
 * and are left out.
 */
export function describeError(error: unknown): { type: string; message: string; code?: string; stack?: string } {
  if (error instanceof PartialWorkError) return describeError(error.cause);
  if (!(error instanceof Error)) return { type: typeof error, message: 'a value that is not an Error was thrown' };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const database = 'severity' in error || 'driverError' in error;
  const message = database ? databaseFailure(code.code) : error.message;
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
    .slice(0, 12)
    .join('\n');
  return { type: error.name, message, ...code, stack: frames };
}

function databaseFailure(code: string | undefined): string {
  if (code === '28P01') return 'PostgreSQL refused the password of the role';
  if (code === '28000') return 'PostgreSQL refused the role';
  return 'the database refused a statement';
}
