import { contentOf, readCheckpoints } from '@tributary/audit-log';
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
export async function listStreams(pool: Pool, days: number, limit: number): Promise<ListedStream[]> {
  const { rows } = await pool.query<ListedStream>(
    `SELECT s.stream_id AS stream, coalesce(left(service, 101), '') AS service, written_by AS "writtenBy",
       coalesce(left(instance, 401), '') AS instance, coalesce(left(version, 201), '') AS version, s.started_at::text AS started,
       coalesce(head.sequence::float8 + 1, 0) AS blocks, head.started_at::text AS last
     FROM (SELECT * FROM audit.stream WHERE started_at > now() - $1 * interval '1 day' ORDER BY started_at DESC LIMIT $2) AS s
     LEFT JOIN LATERAL (
       SELECT sequence, b.started_at FROM audit.block b WHERE b.stream_id = s.stream_id ORDER BY sequence DESC LIMIT 1
     ) AS head ON true
     ORDER BY s.started_at DESC`,
    [days, limit],
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
  const listed: ListedCheckpoint[] = [];
  for await (const { number, at, heads, hash, signature, keyId } of readCheckpoints(pool)) {
    listed.push({
      number,
      at: timeText(at),
      streams: contentOf({ heads })?.heads.length,
      hash: hash.toString('hex'),
      signature: signature.toString('base64'),
      key: keyId,
    });
    if (listed.length === limit) break;
  }
  return listed;
}
