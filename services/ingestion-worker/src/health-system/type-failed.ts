import type { CollectionWarningCode } from '@tributary/contracts';
import { type HealthSystemRequestFailed, RequestTimedOut, ResponseTooLarge } from './request-failures';

/** A part of a resource type could not be read: the type is incomplete, and so is the collection. */
export class TypeFailed extends Error {
  /**
   * @param type a resource type, or `metadata`
   * @param isPermanent a later attempt would fail as well
   * @param status of the last response; 0 when there was none, undefined when the response itself was successful
   * @param retryAfterMs the delay that the health system requested, in milliseconds
   * @param isPageTooHeavy smaller pages may succeed: the page did not come in time, or was too large
   */
  constructor(
    readonly type: string,
    readonly code: CollectionWarningCode,
    readonly reason: string,
    readonly isPermanent: boolean,
    readonly status?: number,
    readonly retryAfterMs?: number,
    readonly isPageTooHeavy = false,
  ) {
    super(`${type}: ${reason}`);
    this.name = 'TypeFailed';
  }

  static afterRequest(type: string, error: HealthSystemRequestFailed): TypeFailed {
    const { code, message, isPermanent, status, retryAfterMs } = error;
    const isPageTooHeavy = error instanceof RequestTimedOut || error instanceof ResponseTooLarge;
    const reason = `the health system ${message}`;
    return new TypeFailed(type, code, reason, isPermanent, status, retryAfterMs, isPageTooHeavy);
  }
}
