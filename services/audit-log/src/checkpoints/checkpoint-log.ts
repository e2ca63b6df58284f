import {
  type Checkpoint,
  type CheckpointContent,
  CheckpointKey,
  type Finding,
  type Retirement,
  type StreamHead,
  decodeCheckpointContent,
  encodeCheckpointContent,
  findSchemaChanges,
  isRetirementProven,
  noPrevious,
  retirementHash,
} from '@tributary/audit-log';
import type { Secret } from '@tributary/service-kit';
import type { Pool, PoolClient } from 'pg';

/**
 * Replicas make checkpoints one after the other. Any role could hold an advisory lock, and so end the checkpoints; only
 * the role of audit-log can lock this row.
 */
const lockSql = 'SELECT is_only FROM audit.verification FOR UPDATE';

/**
 * The last block of each stream with blocks of this or the last month: one descent of the primary key for each stream.
 * A row with a number or hash that no block has is no block. A row that a superuser has inserted with the next number
 * is signed, whatever its role: what was signed cannot be taken back unseen.
 */
const headsSql = `
WITH RECURSIVE recent AS (SELECT date_trunc('month', now()) - interval '1 month' AS since),
active AS (
  (SELECT stream_id FROM audit.block WHERE started_at >= (SELECT since FROM recent) ORDER BY stream_id LIMIT 1)
  UNION ALL
  SELECT (SELECT b.stream_id FROM audit.block b WHERE b.stream_id > active.stream_id AND b.started_at >= (SELECT since FROM recent)
    ORDER BY b.stream_id LIMIT 1)
  FROM active WHERE active.stream_id IS NOT NULL
)
SELECT head.* FROM active, LATERAL (
  SELECT stream_id, sequence, hash FROM audit.block b
  WHERE b.stream_id = active.stream_id AND b.started_at >= (SELECT since FROM recent)
    AND sequence BETWEEN 0 AND 9007199254740991 AND octet_length(hash) = 32
  ORDER BY sequence DESC LIMIT 1
) AS head ORDER BY stream_id`;

const columns = `number::int, (extract(epoch FROM at) * 1000)::float8 AS at, previous, heads, hash, signature, key_id AS "keyId"`;
const retirementColumns = `partition, (extract(epoch FROM from_at) * 1000)::float8 AS from, (extract(epoch FROM to_at) * 1000)::float8 AS to, blocks::int, heads`;

/** The signed checkpoints of the audit log. */
export class CheckpointLog {
  /** The heads that the checkpoints of this process have, so that the next one has only what has moved since. */
  readonly #known = new Map<string, number>();
  /** The objects of the database that were last found to be changed. */
  #changed: ReadonlySet<string | undefined> = new Set();
  /** The retirements that this process has examined, by their hash in hexadecimal, and whether they are proven. */
  readonly #examined = new Map<string, boolean>();

  /**
   * @param report called once for each retirement that is not signed, because somebody may have inserted its row, and
   * for each policy, rule, trigger or function that was changed, because it may hide blocks
   * @param minRetentionDays of a retirement that is signed, whatever the database says
   */
  constructor(
    private readonly pool: Pool,
    private readonly signingKey: Secret,
    private readonly report: (finding: Finding) => void,
    private readonly minRetentionDays = 0,
  ) {}

  /**
   * Signs the heads of the streams that have moved, unless a replica did so within the minimum age.
   * @param minAgeMs the age of the last checkpoint, in milliseconds, from which on another one is made
   * @returns the checkpoint; undefined when none was due, or nothing has changed
   */
  async make(minAgeMs: number): Promise<Checkpoint | undefined> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const made = await this.#make(client, minAgeMs);
      await client.query('COMMIT');
      for (const { streamId, sequence } of made?.heads ?? []) this.#known.set(streamId, sequence);
      client.release();
      return made?.checkpoint;
    } catch (error) {
      client.release(error as Error);
      throw error;
    }
  }

  async #make(
    client: PoolClient,
    minAgeMs: number,
  ): Promise<{ checkpoint: Checkpoint; heads: readonly StreamHead[] } | undefined> {
    const { rowCount } = await client.query(lockSql);
    if (rowCount === 0) throw new Error('audit.verification has no row: provision the database');
    const last = await lastCheckpoint(client);
    const at = await databaseTime(client);
    if (last && at - last.at < minAgeMs) return undefined;
    await this.#reportChanges(client);
    const moved = (await readHeads(client)).filter(({ streamId, sequence }) => this.#known.get(streamId) !== sequence);
    const retirements = await this.#provenRetirements(client, last?.at, at);
    const key = new CheckpointKey(this.signingKey.current);
    const earlierKeys = last && last.keyId !== key.id ? this.#otherKeys(key) : [];
    if (moved.length === 0 && earlierKeys.length === 0 && areSigned(retirements, last)) return undefined;
    const content: CheckpointContent = { heads: moved, retirements, earlierKeys };
    const checkpoint = key.sign({
      number: (last?.number ?? 0) + 1,
      at,
      previous: last?.hash ?? noPrevious,
      heads: encodeCheckpointContent(content),
    });
    const { number, previous, heads, hash, signature, keyId } = checkpoint;
    await client.query(
      `INSERT INTO audit.checkpoint (number, at, previous, heads, hash, signature, key_id)
       VALUES ($1, to_timestamp($2::float8 / 1000), $3, $4, $5, $6, $7)`,
      [number, at, previous, heads, hash, signature, keyId],
    );
    return { checkpoint, heads: moved };
  }

  async #reportChanges(client: PoolClient): Promise<void> {
    const changes = await findSchemaChanges(client);
    for (const change of changes) if (!this.#changed.has(change.object)) this.report(change);
    this.#changed = new Set(changes.map(({ object }) => object));
  }

  /** @param now epoch milliseconds */
  async #provenRetirements(client: PoolClient, since: number | undefined, now: number): Promise<Buffer[]> {
    const proven: Buffer[] = [];
    for (const retirement of await readRetirements(client, since)) {
      const hash = retirementHash(retirement);
      const known = hash.toString('hex');
      if (!this.#examined.has(known)) {
        const isProven = await isRetirementProven(client, retirement, {
          checkpointKeys: this.signingKey.accepted.map((text) => new CheckpointKey(text).publicKey),
          now,
          retentionDays: Math.max(await readRetentionDays(client), this.minRetentionDays),
        });
        this.#examined.set(known, isProven);
        const { partition, to } = retirement;
        if (!isProven) this.report({ problem: 'retirement not proven', partition, at: to });
      }
      if (this.#examined.get(known) === true) proven.push(hash);
    }
    return proven;
  }

  #otherKeys({ id }: CheckpointKey): Buffer[] {
    const keys = this.signingKey.accepted.map((text) => new CheckpointKey(text));
    return keys.filter((key) => key.id !== id).map(({ publicKey }) => publicKey);
  }
}

/** Whether the last checkpoint has all of these retirements. */
function areSigned(retirements: readonly Buffer[], last: Checkpoint | undefined): boolean {
  const signed = last ? decodeCheckpointContent(last.heads).retirements : [];
  return retirements.every((hash) => signed.some((other) => other.equals(hash)));
}

/** The newest checkpoint, as the database has it. */
export async function lastCheckpoint(client: Pick<PoolClient, 'query'>): Promise<Checkpoint | undefined> {
  const { rows } = await client.query<Checkpoint>(
    `SELECT ${columns} FROM audit.checkpoint ORDER BY number DESC LIMIT 1`,
  );
  return rows[0] && { ...rows[0], at: Math.round(rows[0].at) };
}

/** Of all replicas alike, in epoch milliseconds. */
async function databaseTime(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ at: number }>(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at',
  );
  return rows[0]?.at ?? Date.now();
}

async function readHeads(client: PoolClient): Promise<StreamHead[]> {
  const { rows } = await client.query<{ stream_id: string; sequence: string; hash: Buffer }>(headsSql);
  return rows.map(({ stream_id: streamId, sequence, hash }) => ({ streamId, sequence: Number(sequence), hash }));
}

/** The retirements since the last checkpoint; also some before it, because they take a while to commit. */
async function readRetirements(client: PoolClient, since: number | undefined): Promise<Retirement[]> {
  const { rows } = await client.query<Retirement>(
    `SELECT ${retirementColumns} FROM audit.retirement
     WHERE $1::float8 IS NULL OR dropped_at > to_timestamp($1::float8 / 1000) - interval '1 day' ORDER BY partition`,
    [since ?? null],
  );
  return rows.map((row) => ({ ...row, from: Math.round(row.from), to: Math.round(row.to) }));
}

/** Infinite where provisioning has set none: then nothing may be dropped. */
async function readRetentionDays(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ days: number }>('SELECT days FROM audit.retention');
  return rows[0]?.days ?? Infinity;
}
