import type { CollectionWarningCode } from '@tributary/contracts';

/** A request to the health system failed after all its retries. The message continues the words "the health system". */
export class HealthSystemRequestFailed extends Error {
  /**
   * @param status of the last response; 0 when there was none
   * @param isPermanent a later attempt would fail as well
   * @param retryAfterMs the delay that the health system requested, in milliseconds
   */
  constructor(
    readonly status: number,
    message: string,
    readonly isPermanent = false,
    readonly retryAfterMs?: number,
    /** What the warning of the resource type says. */
    readonly code: CollectionWarningCode = status === 0 ? 'no_response' : 'server_error',
  ) {
    super(message);
    this.name = 'HealthSystemRequestFailed';
  }
}

/** The last response did not come in time: no data within the time limit, 408 or 504. */
export class RequestTimedOut extends HealthSystemRequestFailed {
  constructor(status: number, message: string) {
    super(status, message);
    this.name = 'RequestTimedOut';
  }
}

/** Nothing was sent: the URL is not https, or its host resolves to an address that is not public. */
export class AddressForbidden extends HealthSystemRequestFailed {
  constructor() {
    super(
      0,
      'has an address that must not be called: only https and public ones may be',
      true,
      undefined,
      'address_forbidden',
    );
    this.name = 'AddressForbidden';
  }
}

/** The access token is not sent to another host. */
export class RedirectToOtherHost extends HealthSystemRequestFailed {
  constructor() {
    super(0, 'leads to another host', true, undefined, 'address_forbidden');
    this.name = 'RedirectToOtherHost';
  }
}

/** The response body exceeds the limit of the request. */
export class ResponseTooLarge extends HealthSystemRequestFailed {
  constructor(maxBytes: number) {
    super(0, `sends more than ${Math.floor(maxBytes / 1_000_000)} MB`, true, undefined, 'response_too_large');
    this.name = 'ResponseTooLarge';
  }
}

/** The compressed response body expands as only an attack or a fault does. */
export class ResponseExpandsTooMuch extends HealthSystemRequestFailed {
  constructor() {
    super(0, 'sends a compressed response that expands too much', true, undefined, 'response_too_large');
    this.name = 'ResponseExpandsTooMuch';
  }
}

/**
 * A successful response has a body of another shape than expected, or an error in it. The message never quotes the
 * body.
 */
export class UnreadableResponse extends Error {
  constructor(
    reason: string,
    readonly code: 'response_unreadable' | 'error_in_response' = 'response_unreadable',
  ) {
    super(reason);
    this.name = 'UnreadableResponse';
  }
}

/**
 * The memory budget has no room for the rest of a response. The request is repeated with a larger reservation, and does
 * not count as failed.
 */
export class ResponseMemoryExhausted extends Error {
  /** @param neededBytes what the next request reserves */
  constructor(readonly neededBytes: number) {
    super('there is no memory for the rest of a response');
    this.name = 'ResponseMemoryExhausted';
  }
}
