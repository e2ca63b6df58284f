import {
  type Checkpoint,
  CheckpointKey,
  CheckpointKeys,
  type Finding,
  type StreamHead,
  contentOf,
  encodeCheckpointContent,
  findSchemaChanges,
  isRetirementProven,
  noPrevious,
  readNewestCheckpoint,
  readRetirements,
  retirementHash,
} from '@tributary/audit-log';
import { inTransaction } from '@tributary/service-kit';
import type { Pool, PoolClient } from 'pg';
import { type LogConfig, minRetentionDays } from '../config';

/**
 * Replicas make checkpoints one after the other. Any role could hold an advisory lock, and so end the checkpoints; only
 * the role of audit-log can lock this row.
 */
const lockSql = 'SELECT is_only FROM audit.verification FOR UPDATE';

/**
 * The last block of each stream with blocks of this or the last month, from a stream on: one descent of the primary key
 * for each stream. A row with a number or hash that no block has is no block. A row that a superuser has inserted with
 * the next number is signed, whatever its role: what was signed cannot be taken back unseen.
 */
const headsSql = `
WITH RECURSIVE recent AS (SELECT date_trunc('month', now()) - interval '1 month' AS since),
active AS (
  (SELECT stream_id, 1 AS place FROM audit.block WHERE stream_id > $1 AND started_at >= (SELECT since FROM recent)
    ORDER BY stream_id LIMIT 1)
  UNION ALL
  SELECT (SELECT b.stream_id FROM audit.block b WHERE b.stream_id > active.stream_id AND b.started_at >= (SELECT since FROM recent)
    ORDER BY b.stream_id LIMIT 1), place + 1
  FROM active WHERE active.stream_id IS NOT NULL AND place < $2
)
SELECT active.stream_id, head.sequence, head.hash FROM active LEFT JOIN LATERAL (
  SELECT sequence, hash FROM audit.block b
  WHERE b.stream_id = active.stream_id AND b.started_at >= (SELECT since FROM recent)
    AND sequence BETWEEN 0 AND 9007199254740991 AND octet_length(hash) = 32
  ORDER BY sequence DESC LIMIT 1
) AS head ON true WHERE active.stream_id IS NOT NULL ORDER BY active.stream_id`;
/** Streams that one statement reads, so that it is short. */
const streamsAtOnce = 5000;
/** The checkpoint after one that has read so many streams continues with those after them. */
const maxStreamsOfCheckpoint = 50_000;
const firstStream = '00000000-0000-0000-0000-000000000000';

interface HeadRow {
  stream_id: string;
  /** Null when the stream has no row that is a block. */
  sequence: string | null;
  hash: Buffer | null;
}

const dayMs = 86_400_000;

/** The signed checkpoints of the audit log. */
export class CheckpointLog {
  /** The heads that the checkpoints of this process have, so that the next one has only what has moved since. */
  readonly #known = new Map<string, number>();
  /** The last stream that a checkpoint has read before it had read too many. */
  #after = firstStream;
  /** The last checkpoint that was found not to be one of audit-log. */
  #foreign: number | undefined;
  /** The objects of the database that were last found to be changed. */
  #changed: ReadonlySet<string | undefined> = new Set();
  /** The retirements that this process has examined, by their hash in hexadecimal, and whether they are proven. */
  readonly #examined = new Map<string, boolean>();

  /**
   * @param report called once for each retirement that is not signed, because somebody may have inserted its row, for
   * a last checkpoint that audit-log has not made, and for each change of the schema, because it may hide blocks
   */
  constructor(
    private readonly pool: Pool,
    private readonly config: LogConfig,
    private readonly report: (finding: Finding) => void,
  ) {}

  /**
   * Signs the heads of the streams that have moved, unless a replica did so within the minimum age.
   * @param minAgeMs the age of the last checkpoint, in milliseconds, from which on another one is made
   * @returns the checkpoint; undefined when none was due, or nothing has changed
   */
  async make(minAgeMs: number): Promise<Checkpoint | undefined> {
    try {
      const made = await inTransaction(this.pool, (client) => this.#make(client, minAgeMs));
      for (const { streamId, sequence } of made?.heads ?? []) this.#known.set(streamId, sequence);
      return made?.checkpoint;
    } catch (error) {
      // What was read for it is read again.
      this.#after = firstStream;
      throw error;
    }
  }

  async #make(
    client: PoolClient,
    minAgeMs: number,
  ): Promise<{ checkpoint: Checkpoint; heads: readonly StreamHead[] } | undefined> {
    const { rowCount } = await client.query(lockSql);
    if (rowCount === 0) throw new Error('audit.verification has no row: provision the database');
    const last = await readNewestCheckpoint(client);
    const at = await databaseTime(client);
    const { accepted, current } = this.config.AUDIT_SIGNING_KEY;
    const publicKeys = accepted.map((text) => new CheckpointKey(text).publicKey);
    const isOwn = last !== undefined && new CheckpointKeys(publicKeys).check(last).length === 0;
    // A row that somebody has inserted does not put the next one off, nor does a clock that was set back.
    if (isOwn && last.at <= at && at - last.at < minAgeMs) return undefined;
    if (last && !isOwn && this.#foreign !== last.number) {
      this.#foreign = last.number;
      this.report({ problem: 'checkpoint not signed', checkpoint: last.number, at: last.at });
    }
    await this.#reportChanges(client);
    const moved = await this.#movedHeads(client);
    const retirements = await this.#provenRetirements(client, publicKeys, isOwn ? last.at : undefined, at);
    const key = new CheckpointKey(current);
    const otherKeys = publicKeys.filter((publicKey) => !publicKey.equals(key.publicKey));
    const earlierKeys = last && last.keyId !== key.id ? otherKeys : [];
    if (moved.length === 0 && earlierKeys.length === 0 && areSigned(retirements, last)) return undefined;
    const checkpoint = key.sign({
      number: (last?.number ?? 0) + 1,
      at,
      previous: last?.hash ?? noPrevious,
      heads: encodeCheckpointContent({ heads: moved, retirements, earlierKeys }),
    });
    const { number, previous, heads, hash, signature, keyId } = checkpoint;
    await client.query(
      `INSERT INTO audit.checkpoint (number, at, previous, heads, hash, signature, key_id)
       VALUES ($1, to_timestamp($2::float8 / 1000), $3, $4, $5, $6, $7)`,
      [number, at, previous, heads, hash, signature, keyId],
    );
    return { checkpoint, heads: moved };
  }

  /** The heads that no checkpoint of this process has. */
  async #movedHeads(client: PoolClient): Promise<StreamHead[]> {
    const moved: StreamHead[] = [];
    for (let streams = 0; streams < maxStreamsOfCheckpoint; streams += streamsAtOnce) {
      const { rows } = await client.query<HeadRow>(headsSql, [this.#after, streamsAtOnce]);
      for (const { stream_id: streamId, sequence, hash } of rows) {
        const head = hash && { streamId, sequence: Number(sequence), hash };
        if (head && this.#known.get(streamId) !== head.sequence) moved.push(head);
      }
      this.#after = rows.length < streamsAtOnce ? firstStream : (rows.at(-1)?.stream_id ?? firstStream);
      if (this.#after === firstStream) break;
    }
    return moved;
  }

  async #reportChanges(client: PoolClient): Promise<void> {
    const changes = await findSchemaChanges(client);
    for (const change of changes) if (!this.#changed.has(change.object)) this.report(change);
    this.#changed = new Set(changes.map(({ object }) => object));
  }

  /** @param now epoch milliseconds */
  async #provenRetirements(
    client: PoolClient,
    checkpointKeys: readonly Buffer[],
    since: number | undefined,
    now: number,
  ): Promise<Buffer[]> {
    const proven: Buffer[] = [];
    // Blocks before the last checkpoint are included, because they take a while to commit.
    for (const retirement of await readRetirements(client, since && since - dayMs)) {
      const hash = retirementHash(retirement);
      const known = hash?.toString('hex') ?? retirement.partition;
      if (!this.#examined.has(known)) {
        const retentionDays = Math.max(await readRetentionDays(client), minRetentionDays(this.config));
        const evidence = { checkpointKeys, now, retentionDays };
        const isProven = hash !== undefined && (await isRetirementProven(client, retirement, evidence));
        this.#examined.set(known, isProven);
        const { partition, to } = retirement;
        if (!isProven) this.report({ problem: 'retirement not proven', partition, at: to });
      }
      if (hash && this.#examined.get(known) === true) proven.push(hash);
    }
    return proven;
  }
}

/** Whether the last checkpoint has all of these retirements. */
function areSigned(retirements: readonly Buffer[], last: Checkpoint | undefined): boolean {
  const signed = (last && contentOf(last)?.retirements) ?? [];
  return retirements.every((hash) => signed.some((other) => other.equals(hash)));
}

/** Of all replicas alike, in epoch milliseconds. */
async function databaseTime(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ at: number }>(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at',
  );
  return rows[0]?.at ?? Date.now();
}

/** Infinite where provisioning has set none: then nothing may be dropped. */
async function readRetentionDays(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ days: number }>('SELECT days FROM audit.retention');
  return rows[0]?.days ?? Infinity;
}
