import { clientKey } from '@tributary/audit-log';
import type { AuditBlocks } from '../blocks/audit-blocks';
import { scanBlocks } from '../blocks/scan-blocks';
import type { Period } from './time-option';

export interface ExportedEvents extends Period {
  clientId?: string | undefined;
  /** The service_user_id. */
  userId?: number | undefined;
}

/**
 * The events of a period as NDJSON, oldest first: each with its id, its stream and block, and the hash of the block,
 * which the checkpoints sign.
 */
export async function* exportEvents(
  log: AuditBlocks,
  { clientId, userId, from, before }: ExportedEvents,
): AsyncGenerator<string> {
  const keys = [
    ...(clientId === undefined ? [] : [clientKey(clientId)]),
    ...(userId === undefined ? [] : [BigInt(userId)]),
  ];
  for await (const { blocks } of scanBlocks(log, { keys, from, before, isDescending: false })) {
    for await (const { streamId, sequence, startedAt, hash, events } of blocks) {
      for (const { id, service, event } of events) {
        if (clientId !== undefined && event.agent.clientId !== clientId) continue;
        if (userId !== undefined && event.subject !== userId && event.agent.serviceUserId !== userId) continue;
        const block = {
          stream: streamId,
          sequence,
          recorded: new Date(startedAt).toISOString(),
          hash: hash.toString('hex'),
        };
        yield JSON.stringify({ id, service, ...block, ...event, at: new Date(event.at).toISOString() });
      }
    }
  }
}
