/**
 * When a tab of this browser last asked the server for something. After 15 minutes without a request the server ends
 * the session; it notes a request at most once a minute, so that the end can come a minute earlier.
 */
const key = 'console-last-request';

export const idleMs = 14 * 60_000;

const attendedMs = 60_000;
let lastInput = Date.now();
for (const input of ['keydown', 'input', 'click', 'pointerdown', 'wheel'])
  addEventListener(input, () => (lastInput = Date.now()), { capture: true, passive: true });

/** Whether somebody uses this page: what it asks for while nobody does must not keep the session. */
export function isAttended(): boolean {
  return Date.now() - lastInput < attendedMs;
}

export function noteRequest(): void {
  localStorage.setItem(key, String(Date.now()));
}

/** In milliseconds since the Unix epoch. */
export function lastRequest(): number {
  return Number(localStorage.getItem(key) ?? Date.now());
}
