import { contentOf } from '@tributary/audit-log';
import type { Pool } from 'pg';
import { timeText } from '../verification/verify-log';

/** One process that has recorded events. */
export interface ListedStream {
  stream: string;
  service: string;
  /** The role of PostgreSQL that has written the stream. */
  writtenBy: string;
  instance: string;
  version: string;
  started: string;
  blocks: number;
  last: string | null;
}

/** The streams that began in the last days, newest first. */
export async function listStreams(pool: Pool, days: number): Promise<ListedStream[]> {
  const { rows } = await pool.query<ListedStream>(
    `SELECT s.stream_id AS stream, service, written_by AS "writtenBy", instance, version, s.started_at::text AS started,
       coalesce(head.sequence::float8 + 1, 0) AS blocks, head.started_at::text AS last
     FROM audit.stream s LEFT JOIN LATERAL (
       SELECT sequence, b.started_at FROM audit.block b WHERE b.stream_id = s.stream_id ORDER BY sequence DESC LIMIT 1
     ) AS head ON true
     WHERE s.started_at > now() - $1 * interval '1 day' ORDER BY s.started_at DESC`,
    [days],
  );
  return rows.map((row) => ({
    ...row,
    started: timeText(row.started),
    last: row.last === null ? null : timeText(row.last),
  }));
}

export interface ListedCheckpoint {
  number: number;
  at: string;
  /** Absent when the row was changed so that it cannot be read. */
  streams?: number | undefined;
  hash: string;
  signature: string;
  key: string;
}

/** The newest checkpoints, newest first. */
export async function listCheckpoints(pool: Pool, limit: number): Promise<ListedCheckpoint[]> {
  const { rows } = await pool.query<{
    number: number;
    at: Date;
    heads: Buffer;
    hash: Buffer;
    signature: Buffer;
    key: string;
  }>(
    'SELECT number::int, at, heads, hash, signature, key_id AS key FROM audit.checkpoint ORDER BY number DESC LIMIT $1',
    [limit],
  );
  return rows.map(({ number, at, heads, hash, signature, key }) => ({
    number,
    at: at.toISOString(),
    streams: contentOf({ heads })?.heads.length,
    hash: hash.toString('hex'),
    signature: signature.toString('base64'),
    key,
  }));
}
