import { Semaphore } from '@tributary/service-kit';
import { ToolError } from '../record/tool-error';

export interface Limits {
  /** Calls of tools that run at once in this process. */
  calls: number;
  /** Of them, those of one user. */
  callsPerUser: number;
  /** Calls that wait, above which further ones are refused. */
  waitingCalls: number;
  /** Of them, those of one user. */
  waitingCallsPerUser: number;
  /** How long a call may take, with its waiting, in milliseconds. */
  callTimeoutMs: number;
}

/** Runs calls of tools within the limits, so that one user or one slow record does not take all of the process. */
export class CallLimits {
  readonly #all: Semaphore;
  readonly #ofUsers = new Map<number, Semaphore>();
  #accepted = 0;

  constructor(private readonly limits: Limits) {
    this.#all = new Semaphore(limits.calls);
  }

  /**
   * @param client aborted when the client disconnects
   * @throws ToolError when too many calls wait, or the call takes too long
   */
  async run<T>(userId: number, client: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { calls, callsPerUser, waitingCalls, waitingCallsPerUser, callTimeoutMs } = this.limits;
    if (this.#accepted >= calls + waitingCalls)
      throw new ToolError('Too many calls are in progress. Try the same call again in a few seconds.');
    const own = this.#ofUsers.get(userId) ?? new Semaphore(callsPerUser);
    if (own.waiting >= waitingCallsPerUser)
      throw new ToolError(
        'Too many calls of this user are in progress. Try the same call again when one of them has ended.',
      );
    const timeout = AbortSignal.timeout(callTimeoutMs);
    const signal = AbortSignal.any([client, timeout]);
    this.#ofUsers.set(userId, own);
    this.#accepted++;
    try {
      return await own.run(signal, () => this.#all.run(signal, () => work(signal)));
    } catch (error) {
      if (timeout.aborted && !client.aborted)
        throw new ToolError(
          `The call took longer than ${callTimeoutMs / 1000} seconds and was ended. Ask for less, such as a shorter period or a lower limit.`,
        );
      throw error;
    } finally {
      this.#accepted--;
      if (own.isIdle) this.#ofUsers.delete(userId);
    }
  }
}
