import type { Pool } from 'pg';
import { countPartitions, partitionName } from '../schema/partitioning';
import type { Statement, StatementPartitions } from './statement';

/** The seed of the hash by which PostgreSQL assigns rows to hash partitions (HASH_PARTITION_SEED). */
const SEED = { high: 0x7a5b2236, low: 0x7996dcfd };
/** What PostgreSQL adds to the hash of the only column of a partition key (hash_combine64 with 0). */
const COMBINED = { high: 0x49a0f4dd, low: 0x15e5a8e3 };

const rotated = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/** The state of the hash after its seed (hash_bytes_uint32_extended of PostgreSQL, by Bob Jenkins). */
const SEEDED = ((): readonly [number, number, number] => {
  const start = (0x9e3779b9 + 4 + 3923095) | 0;
  let [a, b, c] = [(start + SEED.high) | 0, (start + SEED.low) | 0, start];
  a = (a - c) ^ rotated(c, 4);
  c = (c + b) | 0;
  b = (b - a) ^ rotated(a, 6);
  a = (a + c) | 0;
  c = (c - b) ^ rotated(b, 8);
  b = (b + a) | 0;
  a = (a - c) ^ rotated(c, 16);
  c = (c + b) | 0;
  b = (b - a) ^ rotated(a, 19);
  a = (a + c) | 0;
  c = (c - b) ^ rotated(b, 4);
  b = (b + a) | 0;
  return [a, b, c];
})();

/** The remainder of the partition that has the rows of a user, as PostgreSQL computes it for a bigint column. */
export function remainderOf(userId: number, modulus: number): number {
  const high = Math.floor(userId / 2 ** 32) | 0;
  let [a, b, c] = SEEDED;
  a = (a + ((userId >>> 0) ^ (userId >= 0 ? high : ~high))) | 0;
  c = ((c ^ b) - rotated(b, 14)) | 0;
  a = ((a ^ c) - rotated(c, 11)) | 0;
  b = ((b ^ a) - rotated(a, 25)) | 0;
  c = ((c ^ b) - rotated(b, 16)) | 0;
  a = ((a ^ c) - rotated(c, 4)) | 0;
  b = ((b ^ a) - rotated(a, 14)) | 0;
  c = ((c ^ b) - rotated(b, 24)) | 0;
  const low = (c >>> 0) + COMBINED.low;
  const sum = ((b >>> 0) + COMBINED.high + (low >= 2 ** 32 ? 1 : 0)) >>> 0;
  return ((sum % modulus) * (2 ** 32 % modulus) + ((low >>> 0) % modulus)) % modulus;
}

/** The tables of the records, as statements name them. */
const TABLES = /\bfhir_store\.(?:record|resource|resource_history|block)\b/g;
/** Users whose partitions are compared with PostgreSQL's. */
const COMPARED = Array.from({ length: 64 }, (_, bit) => (bit < 53 ? 2 ** bit : bit));
/** With more partitions, a connection would prepare each statement too often. */
const MAX_MODULUS = 64;

/**
 * The partitions of users. A prepared statement that names a partitioned table locks all of its partitions at each
 * execution; one that names the partition of its user locks one.
 */
export class UserPartitions implements StatementPartitions {
  private readonly statements = new Map<string, Statement>();
  private learning: Promise<number> | undefined;
  /** The number of partitions, 0 where statements name the tables themselves; undefined until it is known. */
  private modulus: number | undefined;

  constructor(private readonly pool: Pool) {}

  statementFor(statement: Statement, userId: number): Statement | undefined {
    if (this.modulus === undefined) this.learn();
    if (!this.modulus) return undefined;
    const remainder = remainderOf(userId, this.modulus);
    const name = `${statement.name}-${this.modulus}-${remainder}`;
    let named = this.statements.get(name);
    if (!named) {
      const { modulus } = this;
      named = { name, text: statement.text.replace(TABLES, (table) => partitionName(table, modulus, remainder)) };
      this.statements.set(name, named);
    }
    return named;
  }

  /** The records have been moved to another number of partitions. */
  forget(): void {
    this.modulus = undefined;
  }

  private learn(): void {
    // When it fails, the next statement tries again.
    this.learning ??= this.read()
      .then((modulus) => (this.modulus = modulus))
      .catch(() => 0)
      .finally(() => (this.learning = undefined));
  }

  private async read(): Promise<number> {
    const modulus = await countPartitions(this.pool);
    if (modulus === 0 || modulus > MAX_MODULUS) return 0;
    const compared = await this.pool.query<{ same: boolean }>(
      `SELECT to_regclass($1) IS NOT NULL AND bool_and(satisfies_hash_partition('fhir_store.resource'::regclass, $2, remainder, user_id)) AS same
       FROM unnest($3::bigint[], $4::integer[]) AS u (user_id, remainder)`,
      [
        partitionName('fhir_store.resource', modulus, 0),
        modulus,
        COMPARED,
        COMPARED.map((userId) => remainderOf(userId, modulus)),
      ],
    );
    return compared.rows[0]?.same ? modulus : 0;
  }
}
