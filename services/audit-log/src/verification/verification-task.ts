import type { AuditTrail } from '@tributary/audit-log';
import { type PeriodicTask, startPeriodicTask } from '@tributary/service-kit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { LogConfig } from '../config';
import { endTurn, keepTurn, takeTurn, turnMs, verificationIntervalHours } from './verification-turn';
import { findingLine, verifyLog } from './verify-log';

const hourMs = 3_600_000;
/** How often a process looks whether a verification is due, in milliseconds. */
const lookEveryMs = 60_000;
/** Findings beyond these are counted only. */
const maxLogged = 100;

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
      const keeping = setInterval(() => void keepTurn(pool, turn).catch(() => undefined), turnMs / 4).unref();
      try {
        const from = Math.min(
          Date.now() - Math.max(2 * intervalMs, sinceOwnMs + intervalMs),
          (turn.verifiedAt ?? Infinity) - intervalMs,
        );
        await verify(pool, config, from, audit, log);
        await endTurn(pool, turn, true);
        ownAt = performance.now();
      } catch (error) {
        await endTurn(pool, turn, false);
        throw error;
      } finally {
        clearInterval(keeping);
      }
    },
  });
}

async function verify(pool: Pool, config: LogConfig, from: number, audit: AuditTrail, log: Logger): Promise<void> {
  let logged = 0;
  const counts = await verifyLog(pool, config, {
    from,
    contents: true,
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
}
