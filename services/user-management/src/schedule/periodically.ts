import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';

export interface Periodic {
  /** Ends it, once the run under way is done. */
  stop(): Promise<void>;
}

/** Runs the work again and again, one run at a time; a run that fails is logged and the next one comes all the same. */
export function periodically(what: string, everyMs: number, work: () => Promise<unknown>, log: Logger): Periodic {
  let stopped = false;
  let timer: NodeJS.Timeout;
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      log.warn({ err: describeError(error) }, `${what} failed and will be tried again`);
    }
    if (!stopped) next();
  };
  const next = (): void => {
    timer = setTimeout(() => (running = run()), everyMs * (0.9 + Math.random() * 0.2));
  };
  next();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}
