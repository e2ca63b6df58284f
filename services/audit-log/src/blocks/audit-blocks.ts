import {
  type AuditEvent,
  type Block,
  type EventPosition,
  type StreamKeyOpener,
  eventIdOf,
  openBlock,
  parseKeys,
} from '@tributary/audit-log';
import type { Pool } from 'pg';
import type { OpeningKeys } from './opening-keys';

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
  /** False when it was changed, or no key opens it: its events are not known. */
  isOpened: boolean;
  events: readonly FoundEvent[];
}

/** The place of a block in the order of time. */
export interface BlockPlace {
  /** Epoch milliseconds. */
  startedAt: number;
  streamId: string;
  sequence: number;
}

export interface BlockRange {
  /** The users and clients (`keysOf`) that a block must have; without any, all blocks are in the range. */
  keys: readonly bigint[];
  /** Epoch milliseconds. */
  from: number;
  /** Epoch milliseconds, exclusive. */
  before: number;
  isDescending: boolean;
  /** Only blocks after this one in the order. */
  after?: BlockPlace | undefined;
  limit: number;
}

interface BlockRow {
  stream_id: string;
  sequence: string;
  started_at: number;
  events: number;
  keys: unknown[];
  previous: Buffer;
  content: Buffer;
  hash: Buffer;
}

interface Stream {
  service: string;
  key: Buffer;
}

const columns = `stream_id, sequence, (extract(epoch FROM started_at) * 1000)::float8 AS started_at, events, keys, previous, content, hash`;
/** Opening the key of a stream takes a millisecond. */
const maxStreams = 2000;
const maxReported = 10_000;

/** Reads and opens the blocks of the audit log. One that cannot be opened has no events, so the others are found. */
export class AuditBlocks {
  readonly #streams = new Map<string, Stream>();
  readonly #reported = new Set<string>();

  /** @param reportUnopened called once for each block that cannot be opened */
  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    private readonly opener: OpeningKeys,
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

  /** The blocks of a range in the order of time. */
  async range({ keys, from, before, isDescending, after, limit }: BlockRange): Promise<OpenBlock[]> {
    const values: unknown[] = [];
    const value = (content: unknown, type: string): string => `$${values.push(content)}::${type}`;
    const time = (at: number): string => `to_timestamp(${value(at, 'float8')} / 1000)`;
    const conditions = [`started_at >= ${time(from)}`, `started_at < ${time(before)}`];
    if (keys.length > 0) conditions.push(`keys @> ${value(keys.map(String), 'bigint[]')}`);
    if (after) {
      const place = [time(after.startedAt), value(after.streamId, 'uuid'), value(after.sequence, 'bigint')];
      conditions.push(`(started_at, stream_id, sequence) ${isDescending ? '<' : '>'} (${place.join(', ')})`);
    }
    const order = ['started_at', 'stream_id', 'sequence'].map((column) => `${column} ${isDescending ? 'DESC' : 'ASC'}`);
    const { rows } = await this.pool.query<BlockRow>(
      `SELECT ${columns} FROM audit.block WHERE ${conditions.join(' AND ')} ORDER BY ${order.join(', ')} LIMIT ${limit}`,
      values,
    );
    return this.#open(rows);
  }

  /** A block of a stream; undefined when there is none. */
  async block(streamId: string, sequence: number): Promise<OpenBlock | undefined> {
    const { rows } = await this.pool.query<BlockRow>(
      `SELECT ${columns} FROM audit.block WHERE stream_id = $1 AND sequence = $2`,
      [streamId, sequence],
    );
    return (await this.#open(rows))[0];
  }

  /** The event at a position; undefined when there is none. */
  async find({ streamId, sequence, index }: EventPosition): Promise<FoundEvent | undefined> {
    return (await this.block(streamId, sequence))?.events[index];
  }

  async #open(rows: readonly BlockRow[]): Promise<OpenBlock[]> {
    await this.#loadStreams(new Set(rows.map((row) => row.stream_id)));
    return rows.map((row) => {
      const { stream_id: streamId, events, previous, content, hash } = row;
      const [sequence, startedAt] = [Number(row.sequence), Math.round(row.started_at)];
      const keys = parseKeys(row.keys);
      const block: Block = { streamId, sequence, startedAt, events, keys: keys ?? [], previous, content, hash };
      const opened = keys && this.#eventsOf(block);
      if (!opened) this.#report(block);
      return { streamId, sequence, startedAt, hash, isOpened: opened !== undefined, events: opened ?? [] };
    });
  }

  /** Undefined when the block cannot be opened. */
  #eventsOf(block: Block): FoundEvent[] | undefined {
    const { streamId, sequence, startedAt } = block;
    const stream = this.#streams.get(streamId);
    if (!stream) return undefined;
    try {
      return openBlock(stream.key, block).map((event, index): FoundEvent => {
        const position = { streamId, sequence, index };
        return { id: eventIdOf(position), position, recordedAt: startedAt, service: stream.service, event };
      });
    } catch {
      return undefined;
    }
  }

  #report({ streamId, sequence, startedAt }: Block): void {
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
    const { rows } = await this.pool.query<{ id: string; service: string; key_id: string; wrapped: Buffer }>(
      'SELECT stream_id AS id, service, key_id, key_wrapped AS wrapped FROM audit.stream WHERE stream_id = ANY ($1)',
      [missing],
    );
    if (this.#streams.size + rows.length > maxStreams)
      for (const id of this.#streams.keys()) if (!ids.has(id)) this.#streams.delete(id);
    const opener = this.opener();
    for (const { id, service, key_id: keyId, wrapped } of rows) {
      const key = keyOf(opener, { streamId: id, keyId, wrapped });
      if (key) this.#streams.set(id, { service, key });
    }
  }
}

/** Undefined when there is no opening key, or the row of the stream was changed. */
function keyOf(opener: StreamKeyOpener, wrapped: Parameters<StreamKeyOpener['open']>[0]): Buffer | undefined {
  try {
    return opener.open(wrapped);
  } catch {
    return undefined;
  }
}
