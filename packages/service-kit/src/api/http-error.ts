import { type ErrorCode, statusOfError } from '@tributary/contracts';

/**
 * An error response with a code of the error catalogue, which defines its HTTP status. It is thrown where a rule is
 * violated and rendered by `handleErrors` in the format of the API. The message is for callers of the API; it names
 * fields and never quotes values, which can be secret or clinical.
 */
export class HttpError extends Error {
  readonly status: number;

  constructor(
    readonly errorCode: ErrorCode,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'HttpError';
    this.status = statusOfError(errorCode);
  }
}

/** A refusal of a caller whose credentials are right. The audit log has it, with the name of the caller. */
export class RefusedCaller extends HttpError {
  /** @param caller as the principal of a route */
  constructor(
    readonly caller: object,
    errorCode: ErrorCode,
    message: string,
  ) {
    super(errorCode, message);
  }
}

/** 400: the input violates the contract of the route. */
export function badRequest(message: string, errorCode: ErrorCode = 'invalid_request'): HttpError {
  return new HttpError(errorCode, message);
}

/** 405: the path exists but does not support the method. */
export function methodNotAllowed(methods: string[]): HttpError {
  return new HttpError('method_not_allowed', `this address allows ${methods.join(', ')}`, {
    Allow: methods.join(', '),
  });
}

/** 503: a dependency is not available; the caller may try again. */
export function unavailable(message: string): HttpError {
  return new HttpError('temporarily_unavailable', message, { 'Retry-After': '2' });
}
