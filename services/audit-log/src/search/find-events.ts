import type { AuditBlocks, FoundEvent, OpenBlock } from '../blocks/audit-blocks';
import { type ScanPosition, scanBlocks } from '../blocks/scan-blocks';
import type { AuditQuery } from './audit-query';

/** Where the next page begins. */
export interface PagePosition extends ScanPosition {
  /** The index in the block `after` at which the page begins, when it has more events; in the order of the page. */
  index?: number | undefined;
}

export interface EventPage {
  events: readonly FoundEvent[];
  /** How many blocks could not be opened, whose events the page may lack. */
  unopened: number;
  /** Absent after the last page. */
  next?: PagePosition;
}

/** Limits of one page. A search that finds little ends early, and the next page continues it. */
export interface PageLimits {
  blocks: number;
  milliseconds: number;
}

/** About so many bytes has the longest page; one event at least. */
const maxPageBytes = 8 * 1024 ** 2;
/** About the bytes of a resource without what its event has, and of one detail of it. */
const resourceBytes = 1500;
const detailBytes = 300;

/** The events of a page. */
export async function findEvents(
  log: AuditBlocks,
  query: AuditQuery,
  position: PagePosition | undefined,
  limits: PageLimits,
): Promise<EventPage> {
  if (query.count === 0) return { events: [], unopened: 0 };
  const end = performance.now() + limits.milliseconds;
  const events: FoundEvent[] = [];
  let unopened = 0;
  let bytes = 0;
  /** @returns the index of the first matching event for which the page has no room */
  const take = (block: OpenBlock, from = 0): number | undefined => {
    if (!block.isOpened) unopened++;
    const inOrder = query.isDescending ? block.events.toReversed() : block.events;
    for (const [index, found] of inOrder.entries()) {
      if (index < from || !query.matches(found)) continue;
      if (events.length === query.count || bytes > maxPageBytes) return index;
      events.push(found);
      bytes += bytesOf(found);
    }
    return undefined;
  };
  if (position?.after && position.index !== undefined) {
    const block = await log.block(position.after.streamId, position.after.sequence);
    const index = block && take(block, position.index);
    if (index !== undefined) return { events, unopened, next: { ...position, index } };
  }
  let read = 0;
  for await (const { blocks, count, reached } of scanBlocks(log, { ...query, position })) {
    for await (const block of blocks) {
      const index = take(block);
      if (index !== undefined || performance.now() >= end) {
        const { startedAt, streamId, sequence } = block;
        return { events, unopened, next: { time: startedAt, after: { startedAt, streamId, sequence }, index } };
      }
    }
    read += count;
    if (read >= limits.blocks || performance.now() >= end) return { events, unopened, next: reached };
  }
  return { events, unopened };
}

/** About the bytes of the resource of an event: an entity or a number in it is longer there. */
function bytesOf({ event }: FoundEvent): number {
  const details = (event.entities ?? []).flatMap(({ counts }) => [undefined, ...Object.keys(counts ?? {})]);
  return resourceBytes + JSON.stringify(event).length + detailBytes * details.length;
}
