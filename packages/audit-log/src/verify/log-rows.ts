import type { ClientBase } from 'pg';
import { parseKeys } from '../block/block';
import { blockPageSql } from '../block/block-limits';
import type { WrappedStreamKey } from '../block/stream-key';
import type { Checkpoint, Retirement, StreamHead } from '../checkpoint/checkpoint';
import type { WrittenBlock } from './stream-check';

/** What runs statements: a client or a pool. */
export type LogDatabase = Pick<ClientBase, 'query'>;

export interface StreamRow extends WrappedStreamKey {
  streamId: string;
  service: string;
  writtenBy: string;
}

interface BlockRow extends Omit<WrittenBlock, 'keys'> {
  keys: unknown[];
  /** The sequence, which a number of JavaScript may not hold exactly. */
  number: string;
  /** The start, which a number of JavaScript does not hold exactly. */
  position: string;
  rows_in_limit: number;
}

const blocksAtOnce = 200;
const checkpointsAtOnce = 100;

const blocksSql = blockPageSql(
  `stream_id AS "streamId", sequence::float8 AS sequence, sequence::text AS number,
  (extract(epoch FROM started_at) * 1000)::float8 AS "startedAt", started_at::text AS position, written_by AS "writtenBy"`,
  '(stream_id, sequence, started_at) > ($1::uuid, $2::bigint, $3::timestamptz) AND started_at >= to_timestamp($4::float8 / 1000)',
  'stream_id, sequence, started_at',
  blocksAtOnce,
);

/**
 * All blocks that have started at or after a time, by stream and sequence. A page of them is in memory.
 * @param from epoch milliseconds; `-Infinity`: all
 */
export async function* readBlocks(database: LogDatabase, from: number): AsyncGenerator<WrittenBlock> {
  let after = ['00000000-0000-0000-0000-000000000000', '-9223372036854775808', '-infinity'];
  for (;;) {
    const { rows } = await database.query<BlockRow>(blocksSql, [...after, from]);
    for (const { position: _position, number: _number, rows_in_limit: _rows, keys, ...row } of rows) {
      const parsed = parseKeys(keys);
      yield {
        ...row,
        keys: parsed ?? [],
        ...(parsed ? {} : { isMalformed: true }),
      };
    }
    const last = rows.at(-1);
    if (!last) return;
    after = [last.streamId, last.number, last.position];
  }
}

export async function readStream(database: LogDatabase, streamId: string): Promise<StreamRow | undefined> {
  const { rows } = await database.query<StreamRow>(
    `SELECT stream_id AS "streamId", left(service, 101) AS service, written_by AS "writtenBy",
       substr(key_wrapped, 1, 8193) AS wrapped, left(key_id, 201) AS "keyId" FROM audit.stream WHERE stream_id = $1`,
    [streamId],
  );
  return rows[0];
}

const checkpointColumns = `number::float8, (extract(epoch FROM at) * 1000)::float8 AS at, previous, heads, hash, signature, key_id AS "keyId"`;

/**
 * The checkpoints, the newest first.
 * @param range `until`: the time of the newest, in epoch milliseconds; `before`: the number after that of the newest
 */
export async function* readCheckpoints(
  database: LogDatabase,
  { until, ...range }: { until?: number; before?: number | undefined } = {},
): AsyncGenerator<Checkpoint> {
  for (let { before } = range; ;) {
    const { rows }: { rows: Checkpoint[] } = await database.query<Checkpoint>(
      `SELECT ${checkpointColumns} FROM audit.checkpoint
       WHERE ($1::bigint IS NULL OR number < $1) AND ($2::float8 IS NULL OR at <= to_timestamp($2 / 1000))
       ORDER BY number DESC LIMIT ${checkpointsAtOnce}`,
      [before ?? null, until ?? null],
    );
    for (const row of rows) yield { ...row, at: Math.round(row.at) };
    if (rows.length < checkpointsAtOnce) return;
    before = rows.at(-1)?.number;
  }
}

/** The first checkpoint of each key, the newest first. */
export async function readKeyChanges(database: LogDatabase): Promise<Checkpoint[]> {
  const { rows } = await database.query<Checkpoint>(
    `SELECT ${checkpointColumns} FROM audit.checkpoint
     WHERE number IN (SELECT min(number) FROM audit.checkpoint GROUP BY key_id) ORDER BY audit.checkpoint.number DESC`,
  );
  return rows.map((row) => ({ ...row, at: Math.round(row.at) }));
}

/** Partitions that were dropped after their retention, the oldest first. There is one for each month. */
export async function readRetirements(database: LogDatabase): Promise<Retirement[]> {
  const { rows } = await database.query<Retirement>(
    `SELECT partition, (extract(epoch FROM from_at) * 1000)::float8 AS "from", (extract(epoch FROM to_at) * 1000)::float8 AS "to",
       blocks::float8, heads
     FROM audit.retirement ORDER BY from_at`,
  );
  return rows.map((row) => ({ ...row, from: Math.round(row.from), to: Math.round(row.to) }));
}

/** The hashes of blocks in the order of the heads; undefined for those that are missing. */
export async function readHashes(database: LogDatabase, heads: readonly StreamHead[]): Promise<(Buffer | undefined)[]> {
  const { rows } = await database.query<{ hash: Buffer | null }>(
    `SELECT b.hash FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS head (stream_id, sequence, place)
     LEFT JOIN LATERAL (
       SELECT hash FROM audit.block WHERE stream_id = head.stream_id AND sequence = head.sequence LIMIT 1
     ) AS b ON true ORDER BY place`,
    [heads.map(({ streamId }) => streamId), heads.map(({ sequence }) => sequence)],
  );
  return rows.map(({ hash }) => hash ?? undefined);
}

/** The hash of a checkpoint; undefined when it is missing. */
export async function readCheckpointHash(database: LogDatabase, number: number): Promise<Buffer | undefined> {
  const { rows } = await database.query<{ hash: Buffer }>('SELECT hash FROM audit.checkpoint WHERE number = $1', [
    number,
  ]);
  return rows[0]?.hash;
}

/**
 * The number of the checkpoint that must have signed blocks by now, and is missing: audit-log makes one each day at
 * least. Undefined when there are no such blocks.
 */
export async function readMissingCheckpoint(database: LogDatabase): Promise<number | undefined> {
  const { rows } = await database.query<{ number: number }>(
    `SELECT newest.number + 1 AS number
     FROM (SELECT coalesce(max(number), 0)::float8 AS number, coalesce(max(at), '-infinity') AS at FROM audit.checkpoint) AS newest
     WHERE EXISTS (SELECT FROM audit.block WHERE started_at > newest.at AND written_at > newest.at
       AND written_at < now() - interval '2 days')`,
  );
  return rows[0]?.number;
}
