import { setTimeout as timer } from 'node:timers/promises';

/** Waits for a time, or until the signal is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await timer(milliseconds, undefined, { signal }).catch(() => undefined);
}
