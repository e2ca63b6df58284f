import { setImmediate as otherEvents } from 'node:timers/promises';
import {
  type AuditEvent,
  type Block,
  type BlockRow,
  type EventPosition,
  StreamKeyOpener,
  blockOf,
  blockPageSql,
  eventIdOf,
  openBlock,
  readStreams,
} from '@tributary/audit-log';
import type { Secret } from '@tributary/service-kit';
import type { Pool } from 'pg';
import { writerRole } from './writer-role';

/** An event, and the block in which it is. */
export interface FoundEvent {
  id: string;
  position: EventPosition;
  /** Epoch milliseconds: when its block was made. */
  recordedAt: number;
  /** The service that has recorded it. */
  service: string;
  event: AuditEvent;
}

/** A block that was read. */
export interface OpenBlock extends Pick<Block, 'streamId' | 'sequence' | 'startedAt' | 'hash'> {
  /** False when it was changed, no key opens it, or another role has written it: its events are not known. */
  isOpened: boolean;
  events: readonly FoundEvent[];
}

/** The place of a block in the order of time. */
export interface BlockPlace {
  /** Epoch milliseconds; with a fraction when no process has written the block. */
  startedAt: number;
  streamId: string;
  sequence: number;
}

export interface BlockRange {
  /** The users and clients (`keysOf`) that a block must have; without any, all blocks are in the range. */
  keys: readonly bigint[];
  /** Only blocks of this service. */
  service?: string | undefined;
  /** Epoch milliseconds. */
  from: number;
  /** Epoch milliseconds, exclusive. */
  before: number;
  isDescending: boolean;
  /** Only blocks after this one in the order. */
  after?: BlockPlace | undefined;
  /** How many blocks are read at most. Fewer are, when they are large. */
  limit: number;
}

export interface ReadBlocks {
  /** In their order. Each is opened when it is taken, so that the events of one block are in memory. */
  blocks: AsyncIterable<OpenBlock>;
  count: number;
  /** The place of the last one, when the range may have others after it. */
  last: BlockPlace | undefined;
}

interface Stream {
  service: string;
  key: Buffer;
}

/** No process writes another number, and JavaScript would not have it exactly. */
const isBlock = 'sequence BETWEEN 0 AND 9007199254740991';
/** Rows that a superuser may have inserted beside a block, and the block. */
const rowsOfOneNumber = 20;
/** Opening the key of a stream takes a millisecond. */
const maxStreams = 2000;
const maxReported = 10_000;
/** Blocks are opened for so many milliseconds before the process serves others. */
const maxBusyMs = 20;

/** Reads and opens the blocks of the audit log. One that cannot be opened has no events, so the others are found. */
export class AuditBlocks {
  readonly #streams = new Map<string, Stream>();
  readonly #reported = new Set<string>();

  /** @param reportUnopened called once for each block that cannot be opened */
  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly openingKey: Pick<Secret, 'accepted'>,
    private readonly reportUnopened: (block: BlockPlace) => void,
  ) {}

  /**
   * When the first block was made, in epoch milliseconds; undefined when there is none. A row with a time before 1970
   * is no block, and the verification reports it.
   */
  async firstTime(): Promise<number | undefined> {
    const { rows } = await this.pool.query<{ at: number }>(
      `SELECT (extract(epoch FROM started_at) * 1000)::float8 AS at FROM audit.block
       WHERE started_at >= to_timestamp(0) AND started_at < 'infinity' ORDER BY started_at LIMIT 1`,
    );
    return rows[0]?.at;
  }

  /** The first blocks of a range in the order of time. */
  async range({ keys, service, from, before, isDescending, after, limit }: BlockRange): Promise<ReadBlocks> {
    const values: unknown[] = [];
    const value = (content: unknown, type: string): string => `$${values.push(content)}::${type}`;
    const time = (at: number): string => `to_timestamp(${value(at, 'float8')} / 1000)`;
    const conditions = [`started_at >= ${time(from)}`, `started_at < ${time(before)}`, isBlock];
    // An operator of another schema could take the place of a general one.
    if (keys.length > 0) conditions.push(`keys OPERATOR(pg_catalog.@>) ${value(keys.map(String), 'bigint[]')}`);
    if (service !== undefined) conditions.push(`written_by = ${value(writerRole(service), 'name')}`);
    if (after) {
      const place = [time(after.startedAt), value(after.streamId, 'uuid'), value(after.sequence, 'bigint')];
      conditions.push(`(started_at, stream_id, sequence) ${isDescending ? '<' : '>'} (${place.join(', ')})`);
    }
    const order = ['started_at', 'stream_id', 'sequence'].map((column) => `${column} ${isDescending ? 'DESC' : 'ASC'}`);
    const sql = blockPageSql(conditions.join(' AND '), order.join(', '), limit);
    const { rows } = await this.pool.query<BlockRow>(sql, values);
    const last = rows.at(-1);
    const isWhole = !last || (last.rows_in_limit === rows.length && rows.length < limit);
    return { blocks: await this.#open(rows), count: rows.length, last: isWhole ? undefined : placeOf(last) };
  }

  /** A block of a stream; undefined when there is none. A superuser may have inserted others with its number. */
  async block(streamId: string, sequence: number): Promise<OpenBlock | undefined> {
    const sql = blockPageSql('stream_id = $1 AND sequence = $2', 'started_at', rowsOfOneNumber);
    const { rows } = await this.pool.query<BlockRow>(sql, [streamId, sequence]);
    let found: OpenBlock | undefined;
    for await (const block of await this.#open(rows)) if (!found?.isOpened) found = block;
    return found;
  }

  /** The event at a position; undefined when there is none. */
  async find({ streamId, sequence, index }: EventPosition): Promise<FoundEvent | undefined> {
    return (await this.block(streamId, sequence))?.events[index];
  }

  async #open(rows: readonly BlockRow[]): Promise<AsyncIterable<OpenBlock>> {
    await this.#loadStreams(new Set(rows.map(({ streamId }) => streamId)));
    return this.#opened(rows);
  }

  async *#opened(rows: readonly BlockRow[]): AsyncGenerator<OpenBlock> {
    let since = performance.now();
    for (const row of rows) {
      if (performance.now() - since > maxBusyMs) {
        await otherEvents();
        since = performance.now();
      }
      const place = placeOf(row);
      const events = this.#eventsOf(blockOf(row));
      if (!events) this.#report(place);
      yield { ...place, hash: row.hash, isOpened: events !== undefined, events: events ?? [] };
    }
  }

  /** Undefined when the block cannot be opened. */
  #eventsOf(block: ReturnType<typeof blockOf>): FoundEvent[] | undefined {
    const { streamId, sequence, startedAt, isMalformed, writtenBy } = block;
    const stream = this.#streams.get(streamId);
    if (!stream || isMalformed || writtenBy !== writerRole(stream.service)) return undefined;
    try {
      return openBlock(stream.key, block).map((event, index): FoundEvent => {
        const position = { streamId, sequence, index };
        return { id: eventIdOf(position), position, recordedAt: startedAt, service: stream.service, event };
      });
    } catch {
      return undefined;
    }
  }

  #report({ streamId, sequence, startedAt }: BlockPlace): void {
    const id = `${streamId}.${sequence}`;
    if (this.#reported.has(id)) return;
    if (this.#reported.size >= maxReported) this.#reported.clear();
    this.#reported.add(id);
    this.reportUnopened({ streamId, sequence, startedAt });
  }

  /** Loads the streams that a key opens. */
  async #loadStreams(ids: ReadonlySet<string>): Promise<void> {
    const missing = [...ids].filter((id) => !this.#streams.has(id));
    if (missing.length === 0) return;
    const rows = await readStreams(this.pool, missing);
    if (this.#streams.size + rows.length > maxStreams)
      for (const id of this.#streams.keys()) if (!ids.has(id)) this.#streams.delete(id);
    // The keys are those of now: one can be added while the process runs.
    const opener = new StreamKeyOpener(this.openingKey.accepted);
    for (const row of rows) {
      await otherEvents();
      try {
        this.#streams.set(row.streamId, { service: row.service, key: opener.open(row) });
      } catch {
        // There is no opening key for it, or the row was changed.
      }
    }
  }
}

function placeOf({ startedAt, streamId, sequence }: BlockPlace): BlockPlace {
  return { startedAt, streamId, sequence };
}
