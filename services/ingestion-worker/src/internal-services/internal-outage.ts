import { type RetryPolicy, isServiceUnavailable } from '@tributary/contracts';
import { isDependencyUnavailable } from '@tributary/service-kit';

/**
 * How long a call to an internal service is repeated, so that a restart of the service does not end the attempt at the
 * collection. Internal services start within seconds, hence the short pauses. `InternalHttp` makes up to three quick
 * attempts within each call, and its time limit applies to each call: the total wait is at most `maxElapsedMs` plus the
 * time limit of one call. After that the job is delayed.
 */
export const internalRetryPolicy: RetryPolicy = { firstPauseMs: 500, maxPauseMs: 2000, maxElapsedMs: 120_000 };

/** An internal service was unavailable. The process of an isolated collection reports it in this form. */
export class InternalServiceUnavailable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InternalServiceUnavailable';
  }
}

/**
 * Whether an error means that an internal service, PostgreSQL or Redis is unavailable. Such an error says nothing about
 * the health system and does not count as a failed attempt at the collection.
 */
export function isInternalOutage(error: unknown): boolean {
  return error instanceof InternalServiceUnavailable || isServiceUnavailable(error) || isDependencyUnavailable(error);
}
