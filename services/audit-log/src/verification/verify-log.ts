import {
  CheckpointKey,
  type Finding,
  StreamKeyOpener,
  type VerifiedCounts,
  type VerifyOptions,
  verifyAuditLog,
} from '@tributary/audit-log';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { writerRole } from '../blocks/writer-role';
import { readAnchors } from '../checkpoints/anchors';
import { type LogConfig, minRetentionDays } from '../config';

export interface LogVerification extends Pick<VerifyOptions, 'onProgress' | 'signal'> {
  /** Epoch milliseconds; everything by default. */
  from?: number | undefined;
  /** Opens the content of every block as well. */
  contents?: boolean | undefined;
  /** In place of AUDIT_ANCHOR_FILE. */
  anchorFile?: string | undefined;
  onFinding(finding: Finding): void;
}

/** @throws Error when the anchor file cannot be read, or the database is not available */
export function verifyLog(pool: Pool, config: LogConfig, options: LogVerification): Promise<VerifiedCounts> {
  const { from, contents, anchorFile = config.AUDIT_ANCHOR_FILE, ...others } = options;
  return verifyAuditLog({
    database: pool,
    checkpointKeys: config.AUDIT_SIGNING_KEY.accepted.map((text) => new CheckpointKey(text).publicKey),
    opener: contents ? new StreamKeyOpener(config.AUDIT_OPENING_KEY.accepted) : undefined,
    anchors: anchorFile === undefined ? undefined : readAnchors(anchorFile),
    minRetentionDays: minRetentionDays(config),
    from,
    roleOf: writerRole,
    ...others,
  });
}

/** Findings beyond these are counted only. */
const maxLogged = 100;

/** Verifies the log in the service, whose own log has what is found: an operator is alarmed by that. */
export async function verifyAndAlarm(
  pool: Pool,
  config: LogConfig,
  log: Logger,
  options: Omit<LogVerification, 'onFinding'> & Partial<Pick<LogVerification, 'onFinding'>>,
): Promise<{ counts: VerifiedCounts; outcome: 'success' | 'failed' }> {
  let logged = 0;
  const counts = await verifyLog(pool, config, {
    ...options,
    onFinding: (finding) => {
      if (logged++ < maxLogged) log.error({ finding: findingLine(finding) }, 'the audit log was changed');
      options.onFinding?.(finding);
    },
  });
  const isUnchanged = counts.findings === 0;
  log[isUnchanged ? 'info' : 'error']({ ...counts }, 'the audit log was verified');
  return { counts, outcome: isUnchanged ? 'success' : 'failed' };
}

/** What is wrong, where, and since when. */
export function findingLine({ problem, streamId, sequence, checkpoint, partition, object, at }: Finding): string {
  const place = [
    streamId === undefined ? undefined : `stream ${streamId}`,
    sequence === undefined ? undefined : `block ${sequence}`,
    checkpoint === undefined ? undefined : `checkpoint ${checkpoint}`,
    partition === undefined ? undefined : `partition ${partition}`,
    object,
    at === undefined ? undefined : timeText(at),
  ];
  return [problem, ...place.filter((part) => part !== undefined)].join('  ');
}

/** A time of a row in ISO 8601. One that no date has, such as `infinity`, stays as it is. */
export function timeText(at: number | string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

/** What was verified, as a sentence. */
export function countsLine({ streams, blocks, events, checkpoints, findings }: VerifiedCounts): string {
  const verified = `${streams} streams, ${blocks} blocks with ${events} events and ${checkpoints} checkpoints were verified`;
  return findings === 0 ? `${verified}: the audit log is complete and unchanged` : `${verified}: ${findings} problems`;
}
