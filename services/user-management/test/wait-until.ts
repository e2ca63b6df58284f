import { setTimeout as pause } from 'node:timers/promises';

/** Only a condition that never becomes true reaches this limit, however slow the machine is. */
const longestMs = 300_000;

/** Polls a condition. @throws Error when it is not true within 300 seconds */
export async function waitUntil(check: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + longestMs;
  while (!(await check())) {
    if (Date.now() > end) throw new Error('the condition did not become true');
    await pause(20);
  }
}
