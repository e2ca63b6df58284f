import type { Logger } from 'pino';
import { describeError } from '../api/handle-errors';

export interface PeriodicTaskOptions {
  /** Names the task in the log, such as "the sweep of expired tokens". */
  name: string;
  /**
   * Milliseconds between the end of a run and the start of the next, give or take a quarter: replicas that start
   * together do not stay together.
   */
  intervalMs: number;
  /** Runs at once, and not only after one interval. */
  runsAtStart?: boolean;
  /**
   * One run. `true` starts the next run without a pause, because more work is due.
   * @param signal is aborted by `stop`: a run that takes long should end early
   */
  run(signal: AbortSignal): Promise<unknown>;
  log: Logger;
}

/** Background work of a service that repeats until it is stopped. */
export interface PeriodicTask {
  /** Aborts the signal of the run in progress, waits until that run has ended, and starts no other. */
  stop(): Promise<void>;
}

/**
 * Repeats a task, one run at a time. A run that fails is logged as a warning; the next run follows after the usual
 * interval.
 */
export function startPeriodicTask({ name, intervalMs, runsAtStart, run, log }: PeriodicTaskOptions): PeriodicTask {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  const runOnce = async (): Promise<void> => {
    let isMoreDue = false;
    try {
      isMoreDue = (await run(stopping.signal)) === true;
    } catch (error) {
      log.warn({ err: describeError(error) }, `${name} failed; the next run tries again`);
    }
    if (!stopping.signal.aborted) schedule(isMoreDue ? 0 : intervalMs * (0.75 + Math.random() / 2));
  };
  const schedule = (afterMs: number): void => {
    timer = setTimeout(() => (running = runOnce()), afterMs).unref();
  };

  if (runsAtStart) running = runOnce();
  else schedule(intervalMs * (0.75 + Math.random() / 2));
  return {
    stop: () => {
      stopping.abort();
      clearTimeout(timer);
      return running;
    },
  };
}
