import { expectedHash, noPrevious, openBlock } from '../block/block';
import type { WrittenBlock } from '../block/block-rows';
import type { AuditEvent } from '../event/audit-event';
import type { Finding, Problem } from './finding';

export interface CheckedStream {
  streamId: string;
  service: string;
  /** The role that inserts the rows of the service; absent when the stream is unknown. */
  role: string | undefined;
  /** The key of its blocks; absent when their contents are not opened. */
  key?: Buffer | undefined;
}

/** Where the blocks of a stream begin: after the last one that was dropped after its retention, or unknown. */
export type StreamStart = { sequence: number; hash: Buffer } | 'unknown' | undefined;

/** Checks the blocks of one stream, which are added in the order of their sequence. It keeps one block at a time. */
export class StreamCheck {
  #next: number | undefined;
  #previous: Buffer | undefined;
  #lastAt: number | undefined;
  /** Blocks up to this one may have been dropped; a clock that was set back leaves some of them in a later month. */
  #retired = -1;

  constructor(
    private readonly stream: CheckedStream,
    start: StreamStart,
  ) {
    if (start === 'unknown') return;
    this.#retired = start?.sequence ?? -1;
    this.#next = start ? start.sequence + 1 : 0;
    this.#previous = start ? start.hash : noPrevious;
  }

  add(block: WrittenBlock): Finding[] {
    const problems: Problem[] = [];
    const isRest = block.sequence <= this.#retired;
    const isTwice = !isRest && this.#next !== undefined && block.sequence < this.#next;
    const hasGap = this.#next !== undefined && block.sequence > this.#next;
    if (isTwice) problems.push('block twice');
    else if (hasGap) problems.push('block missing');
    else if (!isRest && this.#previous && !block.previous.equals(this.#previous)) problems.push('block not chained');
    if (!isUnchanged(block)) problems.push('block changed');
    const { role } = this.stream;
    if (role !== undefined && block.writtenBy !== role) problems.push('block of another role');
    problems.push(...this.#contentProblems(block));
    const { streamId, sequence, startedAt } = block;
    const findings = problems.map((problem) => ({
      problem,
      streamId,
      // The first one that is missing.
      sequence: problem === 'block missing' ? (this.#next ?? sequence) : sequence,
      at: problem === 'block missing' ? (this.#lastAt ?? startedAt) : startedAt,
    }));
    if (!isRest) this.#previous = block.hash;
    this.#next = Math.max(sequence + 1, this.#next ?? 0);
    this.#lastAt = startedAt;
    return findings;
  }

  #contentProblems(block: WrittenBlock): Problem[] {
    if (!this.stream.key) return [];
    try {
      const [first] = openBlock(this.stream.key, block);
      return block.sequence === 0 && !this.#isBegunBy(first) ? ['stream changed'] : [];
    } catch {
      return ['block not opened'];
    }
  }

  /** The first event of a stream tells the service. */
  #isBegunBy(first: AuditEvent | undefined): boolean {
    return first?.kind === 'service.started' && first.agent.service === this.stream.service;
  }
}

/** A number of a row may be one that no block has. */
function isUnchanged(block: WrittenBlock): boolean {
  try {
    return block.isMalformed !== true && expectedHash(block).equals(block.hash);
  } catch {
    return false;
  }
}
