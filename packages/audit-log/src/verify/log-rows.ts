import type { QueryResultRow } from 'pg';
import { type BlockRow, type WrittenBlock, blockOf, blockPageSql } from '../block/block-rows';
import type { WrappedStreamKey } from '../block/stream-key';
import type { Checkpoint, Retirement, StreamHead } from '../checkpoint/checkpoint';

/** What runs statements: a client or a pool. */
export interface LogDatabase {
  query<R extends QueryResultRow>(text: string, values?: unknown[]): Promise<{ rows: R[] }>;
}

export interface StreamRow extends WrappedStreamKey {
  streamId: string;
  service: string;
  writtenBy: string;
}

const blocksAtOnce = 200;
const checkpointsAtOnce = 25;
export const dayMs = 86_400_000;

/** Sequence and start also as texts: a number of JavaScript may not hold them exactly. */
const blocksSql = blockPageSql(
  '(stream_id, sequence, started_at) > ($1::uuid, $2::bigint, $3::timestamptz) AND started_at >= to_timestamp($4::float8 / 1000)',
  'stream_id, sequence, started_at',
  blocksAtOnce,
  'ARRAY[stream_id::text, sequence::text, started_at::text] AS position',
);

/**
 * All blocks that have started at or after a time, by stream and sequence. A page of them is in memory.
 * @param from epoch milliseconds; `-Infinity`: all
 */
export async function* readBlocks(database: LogDatabase, from: number): AsyncGenerator<WrittenBlock> {
  let after = ['00000000-0000-0000-0000-000000000000', '-9223372036854775808', '-infinity'];
  for (;;) {
    const { rows } = await database.query<BlockRow & { position: string[] }>(blocksSql, [...after, from]);
    for (const { position, ...row } of rows) {
      yield blockOf(row);
      after = position;
    }
    if (rows.length === 0) return;
  }
}

/** What a reader needs of streams to open their blocks. */
export async function readStreams(database: LogDatabase, streamIds: readonly string[]): Promise<StreamRow[]> {
  const { rows } = await database.query<StreamRow>(
    `SELECT stream_id AS "streamId", written_by AS "writtenBy", coalesce(left(service, 101), '') AS service,
       coalesce(left(key_id, 201), '') AS "keyId", coalesce(substr(key_wrapped, 1, 8193), '') AS wrapped
     FROM audit.stream WHERE stream_id = ANY ($1)`,
    [streamIds],
  );
  return rows;
}

/** More than the heads of a checkpoint have. */
const maxHeadsBytes = 4 * 1024 ** 2;
/** Of the heads of one retirement, and of all: 56 bytes for each stream of a month. */
const [maxRetiredBytes, maxAllRetiredBytes] = [16 * 1024 ** 2, 64 * 1024 ** 2];
const epochMs = (column: string): string => `coalesce(round(extract(epoch FROM ${column}) * 1000)::float8, 'NaN')`;

const checkpointColumns = `coalesce(number::float8, 'NaN') AS number, ${epochMs('at')} AS at,
  coalesce(substr(previous, 1, 33), '') AS previous,
  CASE WHEN octet_length(heads) <= ${maxHeadsBytes} THEN heads ELSE '' END AS heads, coalesce(substr(hash, 1, 33), '') AS hash,
  coalesce(substr(signature, 1, 65), '') AS signature, coalesce(left(key_id, 65), '') AS "keyId"`;

/**
 * The checkpoints, the newest first. A superuser may have changed a row to one that no process writes, with a time or a
 * number that is not finite: its hash differs (`isUnchanged`).
 * @param until the time of the newest, in epoch milliseconds
 */
export async function* readCheckpoints(database: LogDatabase, until?: number): AsyncGenerator<Checkpoint> {
  // A number of JavaScript may not hold that of a row exactly.
  let before: string | null = null;
  for (;;) {
    const { rows }: { rows: (Checkpoint & { place: string })[] } = await database.query(
      `SELECT ${checkpointColumns}, number::text AS place FROM audit.checkpoint
       WHERE ($1::bigint IS NULL OR number < $1) AND ($2::float8 IS NULL OR at <= to_timestamp($2 / 1000))
       ORDER BY audit.checkpoint.number DESC LIMIT ${checkpointsAtOnce}`,
      [before, until ?? null],
    );
    for (const { place, ...checkpoint } of rows) {
      yield checkpoint;
      before = place;
    }
    if (rows.length < checkpointsAtOnce) return;
  }
}

/** The newest checkpoint whose number JavaScript holds exactly, as the database has it. */
export async function readNewestCheckpoint(database: LogDatabase): Promise<Checkpoint | undefined> {
  const { rows } = await database.query<Checkpoint>(
    `SELECT ${checkpointColumns} FROM audit.checkpoint WHERE number BETWEEN 1 AND 9007199254740990
     ORDER BY audit.checkpoint.number DESC LIMIT 1`,
  );
  return rows[0];
}

/** More keys than an installation has had. */
const maxKeyChanges = 100;

/** The first checkpoint of each key, the newest first; as many as fit into memory. */
export async function readKeyChanges(database: LogDatabase): Promise<Checkpoint[]> {
  const { rows } = await database.query<Checkpoint>(
    `SELECT ${checkpointColumns} FROM (
       SELECT *, sum(least(octet_length(heads), ${maxHeadsBytes})) OVER (ORDER BY number DESC) AS bytes FROM audit.checkpoint
       WHERE number IN (SELECT min(number) FROM audit.checkpoint GROUP BY key_id) ORDER BY number DESC LIMIT ${maxKeyChanges}
     ) AS checkpoint WHERE bytes <= ${maxAllRetiredBytes} ORDER BY checkpoint.number DESC`,
  );
  return rows;
}

/**
 * Partitions that were dropped after their retention, the oldest first. There is one for each month. A row that no
 * process writes has no hash (`retirementHash`).
 * @param droppedAfter epoch milliseconds
 */
export async function readRetirements(database: LogDatabase, droppedAfter = -Infinity): Promise<Retirement[]> {
  const { rows } = await database.query<Retirement>(
    `SELECT coalesce(left(partition, 100), '') AS partition, ${epochMs('from_at')} AS from, ${epochMs('to_at')} AS to,
       coalesce(blocks::float8, 'NaN') AS blocks,
       CASE WHEN octet_length(heads) <= ${maxRetiredBytes}
         AND sum(least(octet_length(heads), ${maxRetiredBytes})) OVER (ORDER BY from_at, partition) <= ${maxAllRetiredBytes}
         THEN heads ELSE '' END AS heads
     FROM audit.retirement WHERE dropped_at IS NULL OR dropped_at > to_timestamp($1::float8 / 1000) ORDER BY from_at`,
    [droppedAfter],
  );
  return rows;
}

/**
 * The hashes of the blocks that a checkpoint has signed, in the order of its heads; undefined for those that are
 * missing. They are looked for in the partitions of the months around the checkpoint first: there are 72 others.
 * @param at of the checkpoint, in epoch milliseconds
 */
export async function readHashes(
  database: LogDatabase,
  heads: readonly StreamHead[],
  at: number,
): Promise<(Buffer | undefined)[]> {
  const near = await readHashesWithin(database, heads, { from: at - 62 * dayMs, before: at + dayMs });
  const missing = heads.filter((_head, index) => !near[index]);
  const far =
    missing.length === 0 ? [] : await readHashesWithin(database, missing, { from: -Infinity, before: Infinity });
  return near.map((hash) => hash ?? far.shift());
}

async function readHashesWithin(
  database: LogDatabase,
  heads: readonly StreamHead[],
  { from, before }: { from: number; before: number },
): Promise<(Buffer | undefined)[]> {
  const { rows } = await database.query<{ hash: Buffer | null }>(
    `SELECT b.hash FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS head (stream_id, sequence, place)
     LEFT JOIN LATERAL (
       SELECT substr(hash, 1, 33) AS hash FROM audit.block WHERE stream_id = head.stream_id AND sequence = head.sequence
         AND started_at >= to_timestamp($3::float8 / 1000) AND started_at < to_timestamp($4::float8 / 1000) LIMIT 1
     ) AS b ON true ORDER BY place`,
    [heads.map(({ streamId }) => streamId), heads.map(({ sequence }) => sequence), from, before],
  );
  return rows.map(({ hash }) => hash ?? undefined);
}

/** The hashes of checkpoints, in the order of their numbers; undefined for those that are missing. */
export async function readCheckpointHashes(
  database: LogDatabase,
  numbers: readonly number[],
): Promise<(Buffer | undefined)[]> {
  const { rows } = await database.query<{ hash: Buffer | null }>(
    `SELECT c.hash FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted (number, place)
     LEFT JOIN LATERAL (
       SELECT coalesce(substr(hash, 1, 33), '') AS hash FROM audit.checkpoint WHERE number = wanted.number LIMIT 1
     ) AS c ON true ORDER BY place`,
    [numbers],
  );
  return rows.map(({ hash }) => hash ?? undefined);
}

/**
 * The number of the checkpoint that must have signed blocks by now, and is missing: audit-log makes one each day at
 * least. Undefined when there are no such blocks.
 */
export async function readMissingCheckpoint(database: LogDatabase): Promise<number | undefined> {
  const { rows } = await database.query<{ number: number }>(
    `SELECT newest.number + 1 AS number
     FROM (SELECT coalesce(max(number), 0)::float8 AS number, coalesce(max(at) FILTER (WHERE at <= now()), '-infinity') AS at FROM audit.checkpoint) AS newest
     WHERE EXISTS (SELECT FROM audit.block WHERE started_at > newest.at AND written_at > newest.at
       AND written_at < now() - interval '2 days')`,
  );
  return rows[0]?.number;
}
