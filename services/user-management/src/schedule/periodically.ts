import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';

export interface PeriodicJob {
  /** Stops the schedule, and waits for the run under way. */
  stop(): Promise<void>;
}

/**
 * Runs a job at intervals, varied by 10 %. Runs never overlap: an interval begins when the previous run has ended. A failed run is logged and does not
 * stop the schedule.
 * @param name begins the log message of a failed run
 */
export function periodically(name: string, everyMs: number, job: () => Promise<unknown>, log: Logger): PeriodicJob {
  let stopped = false;
  let timer: NodeJS.Timeout;
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    try {
      await job();
    } catch (error) {
      log.warn({ err: describeError(error) }, `${name} failed and will be tried again`);
    }
    if (!stopped) scheduleNext();
  };
  const scheduleNext = (): void => {
    timer = setTimeout(() => (running = run()), everyMs * (0.9 + Math.random() * 0.2));
  };
  scheduleNext();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
