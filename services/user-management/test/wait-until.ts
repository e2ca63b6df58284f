import { setTimeout as pause } from 'node:timers/promises';

const longestMs = 50_000;

/** Waits for a condition. @throws when it does not come true within 50 seconds */
export async function waitUntil(check: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + longestMs;
  while (!(await check())) {
    if (Date.now() > end) throw new Error('the condition did not come true');
    await pause(20);
  }
}
