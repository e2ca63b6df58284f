/**
 * An answer that is not the expected one: thrown where a rule is broken, rendered at the edge in the API's own error format.
 * `message` is read by people who call the API; it names fields, never values.
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

/** Input that breaks the contract. */
export function badRequest(message: string, errorCode = 'invalid_request'): HttpError {
  return new HttpError(400, errorCode, message);
}

/** The address is known, the method is not one of its own. */
export function methodNotAllowed(methods: string[]): HttpError {
  return new HttpError(405, 'method_not_allowed', `this address takes ${methods.join(', ')}`, {
    Allow: methods.join(', '),
  });
}

/** Something this service needs is away; the caller may try again. */
export function unavailable(message: string): HttpError {
  return new HttpError(503, 'temporarily_unavailable', message, { 'Retry-After': '2' });
}
