import type { RetryPolicy } from '@tributary/contracts';

/**
 * How often and how fast a request to a health system is repeated. The limits apply to each request, not to the host.
 * It differs from the policy for internal services (`internalRetryPolicy`): the server can name the pause, and the
 * number of requests is limited, so that a health system is not flooded.
 */
export interface HealthSystemRetryPolicy extends Pick<RetryPolicy, 'firstPauseMs' | 'maxPauseMs'> {
  /** How many responses with a throttling status (429, 503) a request may get. */
  maxThrottledRequests: number;
  /** How many times a request may fail, or get a response that cannot be read. */
  maxFailedRequests: number;
  /** How many of these may end without any data for `idleTimeoutMs`. */
  maxTimedOutRequests: number;
  /** How long a connection may deliver nothing, in milliseconds. */
  idleTimeoutMs: number;
  /** The longest pause in milliseconds that `Retry-After` can impose; a longer one is cut to this. */
  maxRetryAfterMs: number;
}

export const healthSystemRetryPolicy: HealthSystemRetryPolicy = {
  maxThrottledRequests: 8,
  maxFailedRequests: 4,
  maxTimedOutRequests: 2,
  idleTimeoutMs: 60_000,
  firstPauseMs: 500,
  maxPauseMs: 30_000,
  maxRetryAfterMs: 120_000,
};

/** The server throttles requests. The request is repeated after the delay that the server states. */
export function isThrottled(status: number): boolean {
  return status === 429 || status === 503;
}

/**
 * The request failed on the way or in the server, and may succeed when it is repeated. Status 0 means that no complete
 * response came. A 500 is repeated here, unlike a 500 of an internal service: health systems send it for momentary
 * failures too.
 */
export function isRetryable(status: number): boolean {
  return status === 0 || status === 408 || status === 500 || status === 502 || status === 504;
}
