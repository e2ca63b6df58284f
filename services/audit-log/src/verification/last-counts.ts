import type { VerifiedCounts } from '@tributary/audit-log';
import type { AuditBlocks, FoundEvent } from '../blocks/audit-blocks';
import { scanBlocks } from '../blocks/scan-blocks';

/** How long before its end is stored the event of a verification is, and how far clocks differ, in milliseconds. */
const toleranceMs = 120_000;

/**
 * What the periodic verification has counted, by its event in the log itself, where nobody can change it unnoticed. The
 * event is recorded just before the end is stored, so that the blocks of four minutes are read at most.
 * @param verifiedAt when it ended, in epoch milliseconds
 */
export async function lastCounts(log: AuditBlocks, verifiedAt: number): Promise<VerifiedCounts | undefined> {
  const [from, before] = [verifiedAt - toleranceMs, verifiedAt + toleranceMs];
  const range = { keys: [], service: 'audit-log', from, before, isDescending: true };
  for await (const { blocks } of scanBlocks(log, range))
    for await (const { events } of blocks) {
      const found = events.findLast(isPeriodic);
      if (found) return countsOf(found);
    }
  return undefined;
}

/** Those that an operator has asked for name the operator. */
function isPeriodic({ event: { kind, agent } }: FoundEvent): boolean {
  return kind === 'audit.verified' && agent.operator === undefined;
}

function countsOf({ event }: FoundEvent): VerifiedCounts | undefined {
  const { streams, blocks, events, checkpoints, findings } = event.entities?.[0]?.counts ?? {};
  if ([streams, blocks, events, checkpoints, findings].includes(undefined)) return undefined;
  return { streams, blocks, events, checkpoints, findings } as VerifiedCounts;
}
