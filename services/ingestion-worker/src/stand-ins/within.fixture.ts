import { setTimeout as pause } from 'node:timers/promises';

/** Waits until something is so. @throws when it is not within the time, in milliseconds */
export async function within(ms: number, what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + ms; !(await isSo()); await pause(10))
    if (Date.now() > end) throw new Error(`not so within ${ms} ms: ${what}`);
}
