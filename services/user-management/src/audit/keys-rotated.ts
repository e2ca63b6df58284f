import type { AuditEntity, NewAuditEvent } from '@tributary/audit-log';
import { serviceName } from '../config';

/** The event of keys that this service has replaced by itself, and not by a command of the operator. */
export function keysRotated(entities: readonly AuditEntity[]): NewAuditEvent {
  return { kind: 'key.rotated', action: 'U', outcome: 'success', agent: { service: serviceName }, entities };
}
