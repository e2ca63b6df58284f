import { setTimeout as pause } from 'node:timers/promises';

/** Only a check that never passes reaches this limit, however slow the machine is. */
const longestMs = 300_000;

/** Repeats a check until it passes. @throws what it throws after 300 seconds */
export async function eventually(check: () => unknown): Promise<void> {
  for (const end = Date.now() + longestMs; ; await pause(25)) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}
