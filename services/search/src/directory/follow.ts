import { type ApiOptions, type PeriodicTask, describeError, startPeriodicTask } from '@tributary/service-kit';

export interface FollowOptions {
  /** Names what is read in the log, such as "the directory". */
  what: string;
  intervalMs: number;
  read: () => Promise<void>;
  /** The number of consecutive failures after which one is logged. */
  loggedFailures: number;
  log: ApiOptions['log'];
}

/** Reads something again and again. Of consecutive failures one is logged, and the success that ends them. */
export function follow({ what, intervalMs, read, loggedFailures, log }: FollowOptions): PeriodicTask {
  let failures = 0;
  const run = async (): Promise<void> => {
    try {
      await read();
      if (failures >= loggedFailures) log.info(`${what} can be read again`);
      failures = 0;
    } catch (error) {
      if (++failures === loggedFailures)
        log.warn({ err: describeError(error) }, `${what} cannot be read; the last state stays`);
    }
  };
  return startPeriodicTask({ name: `reading ${what}`, intervalMs, runsAtStart: true, run, log });
}
