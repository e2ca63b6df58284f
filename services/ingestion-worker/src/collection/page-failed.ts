import type { HealthSystemUnreachable } from '../health-system/health-system-unreachable';

/** Part of a type could not be had: the type is not complete, and the collection must not say so. */
export class PageFailed extends Error {
  /**
   * @param lasting trying again soon is of no use
   * @param status of the answer; 0 when there was none, undefined when the answer itself was good
   * @param retryAfterMs the pause that the health system asked for
   */
  constructor(
    readonly type: string,
    readonly reason: string,
    readonly lasting: boolean,
    readonly status?: number,
    readonly retryAfterMs?: number,
  ) {
    super(`${type}: ${reason}`);
    this.name = 'PageFailed';
  }

  static unreachable(type: string, { message, lasting, status, retryAfterMs }: HealthSystemUnreachable): PageFailed {
    return new PageFailed(type, `the health system ${message}`, lasting, status, retryAfterMs);
  }
}
