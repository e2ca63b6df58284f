/**
 * An error with an HTTP status. It is thrown where a rule is violated and rendered by `handleErrors` in the format of
 * the API. The message is for callers of the API; it names fields and never quotes values, which can be secret or
 * clinical.
 */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly errorCode: string,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
    this.name = 'HttpError';
  }
}

/** 400: the input violates the contract of the route. */
export function badRequest(message: string, errorCode = 'invalid_request'): HttpError {
  return new HttpError(400, errorCode, message);
}

/** 405: the path exists but does not support the method. */
export function methodNotAllowed(methods: string[]): HttpError {
  return new HttpError(405, 'method_not_allowed', `this address allows ${methods.join(', ')}`, {
    Allow: methods.join(', '),
  });
}

/** 503: a dependency is not available; the caller may try again. */
export function unavailable(message: string): HttpError {
  return new HttpError(503, 'temporarily_unavailable', message, { 'Retry-After': '2' });
}
