import type { AuditTrail, VerificationPosition } from '@tributary/audit-log';
import { type PeriodicTask, type Secret, startPeriodicTask } from '@tributary/service-kit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { OpeningKeys } from '../blocks/opening-keys';
import { type VerificationTurn, endTurn, giveUpTurn, keepTurn, takeTurn, turnMs } from './verification-turn';
import { findingLine, verifyLogPart } from './verify-log';

export interface VerificationTaskOptions {
  pool: Pool;
  signingKey: Secret;
  opener: OpeningKeys;
  /** AUDIT_VERIFY_HOURS. */
  intervalHours: number;
  /** AUDIT_ANCHOR_FILE. */
  anchorFile: string | undefined;
  /** Of a retirement, whatever the database says. */
  minRetentionDays?: number;
  /** How many checkpoints are verified in one turn. */
  checkpointsAtOnce?: number;
  audit: AuditTrail;
  log: Logger;
}

const hourMs = 3_600_000;
/** How often a process looks whether a verification is due, in milliseconds. */
const lookEveryMs = 60_000;
/** Checkpoints that are verified in one turn: about a minute. */
const defaultCheckpointsAtOnce = 20_000;
/** Findings beyond these are counted only. */
const maxLogged = 100;

/**
 * Verifies the blocks since the last verification, at least those since twice the interval, and all checkpoints. The
 * operator's command verifies the whole log. When it is due is in the database, so restarts do not put it off and
 * replicas do not repeat it. Very many checkpoints are verified in several turns. The result of each is an audit event.
 */
export function startVerification(options: VerificationTaskOptions): PeriodicTask {
  const { pool, intervalHours, log } = options;
  const intervalMs = intervalHours * hourMs;
  return startPeriodicTask({
    name: 'the verification of the audit log',
    intervalMs: Math.min(intervalMs, lookEveryMs),
    runsAtStart: true,
    log,
    run: async () => {
      const turn = await takeTurn(pool, intervalMs);
      if (!turn) return;
      const keeping = setInterval(() => void keepTurn(pool, turn).catch(() => undefined), turnMs / 4).unref();
      try {
        await endTurn(pool, turn, await verifyPart(options, turn));
      } catch (error) {
        await giveUpTurn(pool, turn);
        throw error;
      } finally {
        clearInterval(keeping);
      }
    },
  });
}

/** @returns where the next turn continues; undefined when the verification is complete */
async function verifyPart(
  options: VerificationTaskOptions,
  { verifiedAt = Infinity, position }: VerificationTurn,
): Promise<VerificationPosition | undefined> {
  const { pool, signingKey, opener, intervalHours, anchorFile, minRetentionDays, audit, log } = options;
  const intervalMs = intervalHours * hourMs;
  let logged = 0;
  const { counts, next } = await verifyLogPart(
    {
      pool,
      signingKeys: signingKey.accepted,
      opener: opener(),
      from: Math.min(Date.now() - 2 * intervalMs, verifiedAt - intervalMs),
      anchorFile,
      minRetentionDays,
      onFinding: (finding) => {
        if (logged++ < maxLogged) log.error({ finding: findingLine(finding) }, 'the audit log was changed');
      },
    },
    options.checkpointsAtOnce ?? defaultCheckpointsAtOnce,
    position,
  );
  const { findings } = counts;
  const what = next ? 'a part of the audit log was verified' : 'the audit log was verified';
  log[findings === 0 ? 'info' : 'error']({ ...counts }, what);
  await audit.record({
    kind: 'audit.verified',
    action: 'E',
    outcome: findings === 0 ? 'success' : 'failed',
    agent: { service: 'audit-log' },
    entities: [{ counts: { ...counts } }],
  });
  return next;
}
