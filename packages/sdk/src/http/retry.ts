import { ApiError, NetworkError, TimeoutError } from './errors.ts';

export interface RetryPolicy {
  /** Attempts after the first one. */
  maxRetries: number;
  /** The longest pause before an attempt, in milliseconds. A longer `Retry-After` is not waited for. */
  maxRetryDelayMs: number;
}

const firstPauseMs = 500;
/** Answers of a gateway, whose request may have been carried out. */
const unknownOutcomes = [408, 502, 503, 504];

/**
 * The pause before another attempt, in milliseconds, or undefined when there is none. 429, and 503 with `Retry-After`,
 * say that the request was not carried out, so that any request is repeated. After other failures the outcome is unknown,
 * and only idempotent requests are.
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
  if (error instanceof NetworkError || error instanceof TimeoutError) return isIdempotent ? backoffMs : undefined;
  if (!(error instanceof ApiError)) return undefined;
  const { status, retryAfterMs } = error;
  const wasRefused = status === 429 || (status === 503 && retryAfterMs !== undefined);
  if (!wasRefused && !(isIdempotent && unknownOutcomes.includes(status))) return undefined;
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
