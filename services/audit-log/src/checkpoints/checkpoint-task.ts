import { appendFile } from 'node:fs/promises';
import type { Checkpoint } from '@tributary/audit-log';
import { type PeriodicTask, startPeriodicTask } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { CheckpointLog } from './checkpoint-log';

export interface CheckpointTaskOptions {
  checkpoints: CheckpointLog;
  /** AUDIT_CHECKPOINT_SECONDS. */
  intervalSeconds: number;
  /** AUDIT_ANCHOR_FILE. */
  anchorFile: string | undefined;
  log: Logger;
}

/**
 * Makes checkpoints, and writes each to the log and to the anchor file: a superuser who deletes the newest checkpoints
 * together with their blocks does not reach these.
 */
export function startCheckpoints({
  checkpoints,
  intervalSeconds,
  anchorFile,
  log,
}: CheckpointTaskOptions): PeriodicTask {
  return startPeriodicTask({
    name: 'the checkpoint of the audit log',
    intervalMs: intervalSeconds * 1000,
    runsAtStart: true,
    log,
    run: async () => {
      const checkpoint = await checkpoints.make((intervalSeconds * 1000) / 2);
      if (!checkpoint) return;
      const { number, at, hash, signature, keyId } = anchorOf(checkpoint);
      log.info({ number, at, hash, signature, keyId }, 'audit checkpoint');
      if (anchorFile !== undefined)
        await appendFile(anchorFile, `${JSON.stringify(anchorOf(checkpoint))}\n`, { flush: true });
    },
  });
}

/** A checkpoint as a line of the anchor file has it. */
function anchorOf({
  number,
  at,
  hash,
  signature,
  keyId,
}: Checkpoint): Record<'at' | 'hash' | 'signature' | 'keyId', string> & { number: number } {
  return {
    number,
    at: new Date(at).toISOString(),
    hash: hash.toString('hex'),
    signature: signature.toString('base64'),
    keyId,
  };
}
