import { constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Pool } from 'pg';
import { to } from 'pg-copy-streams';

export interface DumpedTable {
  readonly name: string;
  readonly text: Buffer;
  readonly binary: Buffer;
  /** Every field that holds bytes. */
  readonly sealed: readonly Buffer[];
}

/** All that a thief of the database gets: every table outside PostgreSQL's own schemas, as COPY gives it. */
export async function dumpOf(pool: Pool): Promise<DumpedTable[]> {
  const { rows } = await pool.query<{ name: string; bytes: string[] }>(`
    SELECT format('%I.%I', n.nspname, c.relname) AS name,
      ARRAY (SELECT quote_ident(a.attname) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.atttypid = 'bytea'::regtype AND a.attnum > 0 AND NOT a.attisdropped) AS bytes
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%' ORDER BY 1`);
  const tables: DumpedTable[] = [];
  for (const { name, bytes } of rows)
    tables.push({
      name,
      text: await copy(pool, name, 'text'),
      binary: await copy(pool, name, 'binary'),
      sealed: await bytesOf(pool, name, bytes),
    });
  return tables;
}

async function copy(pool: Pool, table: string, format: 'text' | 'binary'): Promise<Buffer> {
  const client = await pool.connect();
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of client.query(to(`COPY ${table} TO STDOUT (FORMAT ${format})`)))
      chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } finally {
    client.release();
  }
}

async function bytesOf(pool: Pool, table: string, columns: readonly string[]): Promise<Buffer[]> {
  const fields: Buffer[] = [];
  for (const column of columns) {
    const { rows } = await pool.query<{ field: Buffer }>(
      `SELECT ${column} AS field FROM ${table} WHERE ${column} IS NOT NULL`,
    );
    fields.push(...rows.map(({ field }) => field));
  }
  return fields;
}

const lenient = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 16_000_000 };
/** A sealed field begins with nonce and tag: a stream could begin at it, or after one of them, or after both. */
const starts = [0, 12, 16, 28];

/**
 * What comes out of everything in the dump that looks compressed: gzip and zlib streams wherever they begin, raw
 * deflate at the beginning of fields.
 */
export function inflated(tables: readonly DumpedTable[]): Buffer[] {
  const found: Buffer[] = [];
  const attempt = (inflate: () => Buffer): void => {
    try {
      found.push(inflate());
    } catch {
      // It only looked like a stream.
    }
  };
  for (const { binary, sealed } of tables) {
    for (let at = binary.indexOf(0x1f); at >= 0; at = binary.indexOf(0x1f, at + 1))
      if (binary[at + 1] === 0x8b && binary[at + 2] === 8) attempt(() => gunzipSync(binary.subarray(at), lenient));
    for (let at = binary.indexOf(0x78); at >= 0; at = binary.indexOf(0x78, at + 1))
      if (binary.length > at + 1 && binary.readUInt16BE(at) % 31 === 0)
        attempt(() => inflateSync(binary.subarray(at, at + 200_000), lenient));
    for (const field of sealed)
      for (const start of starts) attempt(() => inflateRawSync(field.subarray(start), lenient));
  }
  return found;
}
