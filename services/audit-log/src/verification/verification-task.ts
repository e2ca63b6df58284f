import type { AuditTrail } from '@tributary/audit-log';
import { type PeriodicTask, startPeriodicTask } from '@tributary/service-kit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { LogConfig } from '../config';
import { inTurn, takeTurn, verificationIntervalHours } from './verification-turn';
import { verifyAndAlarm } from './verify-log';

const hourMs = 3_600_000;
/** How often a process looks whether a verification is due, in milliseconds. */
const lookEveryMs = 60_000;

/**
 * Verifies the blocks since the last verification, at least those since twice the interval, and all checkpoints. The
 * operator's command verifies the whole log. When it is due is in the database, so restarts do not put it off and
 * replicas do not repeat it. Somebody who writes other times there can put it off by the interval: each process does a
 * verification of its own after twice the interval. The result is an audit event.
 */
export function startVerification(
  pool: Pool,
  config: LogConfig,
  audit: AuditTrail,
  log: Logger,
  intervalHours = verificationIntervalHours,
): PeriodicTask {
  const intervalMs = intervalHours * hourMs;
  let ownAt = performance.now();
  return startPeriodicTask({
    name: 'the verification of the audit log',
    intervalMs: Math.min(intervalMs, lookEveryMs),
    runsAtStart: true,
    log,
    run: async () => {
      const sinceOwnMs = performance.now() - ownAt;
      const turn = await takeTurn(pool, intervalMs, sinceOwnMs > 2 * intervalMs);
      if (!turn) return;
      await inTurn(pool, turn, 'periodic', () => {
        const from = Math.min(
          Date.now() - Math.max(2 * intervalMs, sinceOwnMs + intervalMs),
          (turn.verifiedAt ?? Infinity) - intervalMs,
        );
        return verify(pool, config, from, audit, log);
      });
      ownAt = performance.now();
    },
  });
}

async function verify(pool: Pool, config: LogConfig, from: number, audit: AuditTrail, log: Logger): Promise<void> {
  const { counts, outcome } = await verifyAndAlarm(pool, config, log, { from, contents: true });
  await audit.record({
    kind: 'audit.verified',
    action: 'E',
    outcome,
    agent: { service: 'audit-log' },
    entities: [{ counts: { ...counts } }],
  });
}
