import type { AuditTrail } from '@tributary/audit-log';
import { type PeriodicTask, type Secret, startPeriodicTask } from '@tributary/service-kit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { OpeningKeys } from '../blocks/opening-keys';
import { findingLine, verifyLog } from './verify-log';

export interface VerificationTaskOptions {
  pool: Pool;
  signingKey: Secret;
  opener: OpeningKeys;
  /** AUDIT_VERIFY_HOURS. */
  intervalHours: number;
  /** AUDIT_ANCHOR_FILE. */
  anchorFile: string | undefined;
  audit: AuditTrail;
  log: Logger;
}

const hourMs = 3_600_000;
/** Findings beyond these are counted only. */
const maxLogged = 100;

/**
 * Verifies the blocks since twice the interval, and all checkpoints. The operator's command verifies the whole log. The
 * result is an audit event itself.
 */
export function startVerification(options: VerificationTaskOptions): PeriodicTask {
  const { pool, signingKey, opener, intervalHours, anchorFile, audit, log } = options;
  return startPeriodicTask({
    name: 'the verification of the audit log',
    intervalMs: intervalHours * hourMs,
    log,
    run: async () => {
      let logged = 0;
      const counts = await verifyLog({
        pool,
        signingKeys: signingKey.accepted,
        opener: opener(),
        from: Date.now() - 2 * intervalHours * hourMs,
        anchorFile,
        onFinding: (finding) => {
          if (logged++ < maxLogged) log.error({ finding: findingLine(finding) }, 'the audit log was changed');
        },
      });
      const { findings } = counts;
      log[findings === 0 ? 'info' : 'error']({ ...counts }, 'the audit log was verified');
      await audit.record({
        kind: 'audit.verified',
        action: 'E',
        outcome: findings === 0 ? 'success' : 'failed',
        agent: { service: 'audit-log' },
        entities: [{ counts: { ...counts } }],
      });
    },
  });
}
