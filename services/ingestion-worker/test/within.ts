import { setTimeout as pause } from 'node:timers/promises';

/** Waits until a condition holds. @throws when it does not hold within `ms` milliseconds */
export async function within(ms: number, what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + ms; !(await condition()); await pause(10))
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${what}`);
}
