import { closeSync, openSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { type PeriodicTask, startPeriodicTask } from '@tributary/service-kit';
import type { Logger } from 'pino';
import { anchorOf } from './anchors';
import type { CheckpointLog } from './checkpoint-log';

/**
 * Makes checkpoints, and writes each to the log and to the anchor file: a superuser who deletes the newest checkpoints
 * together with their blocks does not reach these.
 * @param anchorFile AUDIT_ANCHOR_FILE
 * @throws Error when the anchor file cannot be written
 */
export function startCheckpoints(
  checkpoints: CheckpointLog,
  anchorFile: string | undefined,
  intervalSeconds: number,
  log: Logger,
): PeriodicTask {
  // It exists from the start, so that a file that is missing later was removed.
  if (anchorFile !== undefined) closeSync(openSync(anchorFile, 'a', 0o600));
  return startPeriodicTask({
    name: 'the checkpoint of the audit log',
    intervalMs: intervalSeconds * 1000,
    runsAtStart: true,
    log,
    run: async () => {
      const checkpoint = await checkpoints.make((intervalSeconds * 1000) / 2);
      if (!checkpoint) return;
      const anchor = anchorOf(checkpoint);
      log.info(anchor, 'audit checkpoint');
      if (anchorFile !== undefined) await appendFile(anchorFile, `${JSON.stringify(anchor)}\n`, { flush: true });
    },
  });
}
