import { setTimeout as pause } from 'node:timers/promises';

const longestMs = 50_000;

/** Polls a condition. @throws Error when it is not true within 50 seconds */
export async function waitUntil(check: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + longestMs;
  while (!(await check())) {
    if (Date.now() > end) throw new Error('the condition did not become true');
    await pause(20);
  }
}
