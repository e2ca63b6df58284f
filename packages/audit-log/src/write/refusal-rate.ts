import type { NewAuditEvent } from '../event/audit-event';

const minuteMs = 60_000;
/** How many refusals of a kind from one address have an event each within a minute. */
const maxOfAddress = 20;
/** How many kinds and addresses are told apart within a minute. */
const maxKeys = 1000;

/**
 * Tells which refusals have an event of their own, so that nobody fills the audit log. The client that a refused caller
 * claims to be does not matter: the caller can claim another one each time.
 */
export class RefusalRate {
  readonly #refusals = new Map<string, number>();
  #since = -Infinity;

  /** @param now monotonic milliseconds */
  isWithin({ kind, address }: NewAuditEvent, now: number): boolean {
    if (now - this.#since >= minuteMs) {
      this.#refusals.clear();
      this.#since = now;
    }
    const key = `${kind} ${address ?? ''}`;
    const before = this.#refusals.get(key) ?? (this.#refusals.size < maxKeys ? 0 : maxOfAddress);
    if (before >= maxOfAddress) return false;
    this.#refusals.set(key, before + 1);
    return true;
  }
}
