import type { NewAuditEvent } from '../event/audit-event';

/** Where a process records the events of the audit log. */
export interface AuditTrail {
  /** Nothing is kept, so that no event needs to be built. */
  readonly keepsNothing?: true;
  /**
   * Records an event.
   * @returns its id, as soon as it is durable
   * @throws AuditUnavailable when it is not durable in time; it may still become so
   */
  record(event: NewAuditEvent): Promise<string>;
  /**
   * Records a refusal that anyone can cause, such as that of wrong credentials. The first ones of a kind from an
   * address in a minute are durable when this resolves; further ones are counted.
   * @throws AuditUnavailable
   */
  recordRefused(event: NewAuditEvent): Promise<void>;
  /**
   * Counts an event that can occur very often and that no one waits for, such as an exceeded limit: one event for each
   * kind, client and address every ten seconds, with the number in its first entity.
   */
  count(event: NewAuditEvent): void;
}

/** A trail that keeps nothing, for a process of the sandbox mode without a sealing key. */
export const noAuditTrail: AuditTrail = {
  keepsNothing: true,
  record: () => Promise.resolve(''),
  recordRefused: () => Promise.resolve(),
  count: () => undefined,
};

/** An event could not be recorded, so what it is about must not be answered. */
export class AuditUnavailable extends Error {
  readonly code = 'AUDIT_UNAVAILABLE';

  constructor(reason: string) {
    super(`the audit log is not available: ${reason}`);
    this.name = 'AuditUnavailable';
  }
}
