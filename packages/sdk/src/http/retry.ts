import { ApiError, NetworkError, TimeoutError } from './errors.ts';

export interface RetryPolicy {
  /** Attempts after the first one. */
  maxRetries: number;
  /** The longest pause before an attempt, in milliseconds. A longer `Retry-After` is not waited for. */
  maxRetryDelayMs: number;
}

const firstPauseMs = 500;
/** Statuses of responses, of a gateway or a service, to requests that may have been carried out. */
const unknownOutcomes = [408, 502, 503, 504];

/** Whether the response says that the request was not carried out: 429, or 503 with `Retry-After`. */
function wasRefused(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 429 || (error.status === 503 && error.retryAfterMs !== undefined);
}

/** Whether a request that failed may have been carried out. */
export function hasUnknownOutcome(error: unknown): boolean {
  if (error instanceof NetworkError || error instanceof TimeoutError) return true;
  return error instanceof ApiError && unknownOutcomes.includes(error.status) && !wasRefused(error);
}

/**
 * The pause before another attempt, in milliseconds, or undefined when there is none. A request that was not carried
 * out is repeated. An idempotent one is also repeated when its outcome is unknown.
 * @param failures how often the request has failed so far, from 1
 */
export function retryPauseMs(
  error: unknown,
  isIdempotent: boolean,
  failures: number,
  { maxRetries, maxRetryDelayMs }: RetryPolicy,
): number | undefined {
  if (failures > maxRetries) return undefined;
  const backoffMs = Math.min(firstPauseMs * 2 ** (failures - 1), maxRetryDelayMs) * (0.5 + Math.random() / 2);
  if (!wasRefused(error) && !(isIdempotent && hasUnknownOutcome(error))) return undefined;
  const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : undefined;
  if (retryAfterMs === undefined) return backoffMs;
  if (retryAfterMs > maxRetryDelayMs) return undefined;
  // The jitter is added, since an attempt before the announced time would be refused again.
  return retryAfterMs + Math.random() * Math.max(250, retryAfterMs / 4);
}

/** Waits. @throws the reason of the signal when it is aborted */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
