import type { AuditTrail } from '@tributary/audit-log';
import type { ScopedKeys } from '@tributary/key-vault';
import type { Logger } from 'pino';

/** Wraps all data keys of a service by the newest key-encryption key, and logs those that none opens. */
export async function rewrapDataKeys({
  service,
  keys,
  audit,
  log,
}: {
  service: string;
  keys: Pick<ScopedKeys, 'rewrapAll'>;
  audit: Pick<AuditTrail, 'record'>;
  log: Pick<Logger, 'info' | 'warn'>;
}): Promise<void> {
  const { rewrapped, unopened, unopenedIds } = await keys.rewrapAll();
  if (rewrapped > 0) {
    log.info({ rewrapped }, 'data keys are wrapped by the new key-encryption key');
    await audit.record({
      kind: 'key.rotated',
      action: 'U',
      outcome: 'success',
      agent: { service },
      entities: [{ type: 'DataKey', count: rewrapped }],
    });
  }
  if (unopened > 0)
    log.warn({ unopened, scopes: unopenedIds }, 'data keys are wrapped by a key-encryption key that is not known');
}
