import { generateKeyPairSync } from 'node:crypto';
import { type TestDatabase, type TestRole, createDatabase, createRole } from '@tributary/test-environment';
import { Client } from 'pg';
import type { Block } from '../src/block/block';
import { noPrevious, openBlock } from '../src/block/block';
import { StreamKeyOpener } from '../src/block/stream-key';
import {
  type Checkpoint,
  type CheckpointKey,
  type Retirement,
  type StreamHead,
  encodeCheckpointContent,
  retirementHash,
} from '../src/checkpoint/checkpoint';
import type { AuditEvent } from '../src/event/audit-event';
import { createAuditSchema } from '../src/schema/audit-schema';
import { AuditWriter, type AuditWriterOptions } from '../src/write/audit-writer';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const sealingKey = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const openingKey = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');

/** A database with the tables of the audit log, the roles of a service and of audit-log, and a superuser. */
export class AuditDatabase {
  readonly #keys: CheckpointKey[] = [];
  /** Opens the streams of its writers. */
  readonly opener = new StreamKeyOpener([openingKey]);

  private constructor(
    readonly database: TestDatabase,
    readonly writer: TestRole,
    readonly reader: TestRole,
    readonly superuser: Client,
  ) {}

  static async create(): Promise<AuditDatabase> {
    const database = await createDatabase();
    const [writer, reader] = [await createRole(database, 'audit'), await createRole(database, 'audit')];
    const superuser = new Client({ connectionString: database.url });
    await superuser.connect();
    await createAuditSchema(superuser, { writers: [roleOf(writer)], reader: roleOf(reader) });
    return new AuditDatabase(database, writer, reader, superuser);
  }

  /** Begins a stream as the role of a service. */
  open(changes: Partial<AuditWriterOptions> & { url?: string } = {}): Promise<AuditWriter> {
    const { url = this.writer.url, ...options } = changes;
    return AuditWriter.open({
      service: 'fhir-store',
      version: '1.0.0',
      sealingKey,
      createClient: () => new Client({ connectionString: url, query_timeout: 30_000 }),
      preparesStatements: true,
      log: { warn: () => undefined },
      // Far longer than a test, unless it waits for it.
      timeoutMs: 600_000,
      ...options,
    });
  }

  /** The blocks of a stream in their order. */
  async blocks(streamId: string): Promise<Block[]> {
    const { rows } = await this.superuser.query<Omit<Block, 'keys'> & { keys: string[] }>(
      `SELECT stream_id AS "streamId", sequence::int, (extract(epoch FROM started_at) * 1000)::float AS "startedAt",
        events, keys, previous, content, hash
      FROM audit.block WHERE stream_id = $1 ORDER BY sequence`,
      [streamId],
    );
    return rows.map((row) => ({ ...row, keys: row.keys.map(BigInt) }));
  }

  /** The events of each block of a stream. */
  async events(streamId: string): Promise<AuditEvent[][]> {
    const { rows } = await this.superuser.query<{ wrapped: Buffer; keyId: string }>(
      'SELECT key_wrapped AS wrapped, key_id AS "keyId" FROM audit.stream WHERE stream_id = $1',
      [streamId],
    );
    const key = this.opener.open({ streamId, ...rows[0]! });
    return (await this.blocks(streamId)).map((block) => openBlock(key, block));
  }

  /**
   * Stops the insertion of blocks.
   * @returns a function that lets it go on
   */
  async lockBlocks(): Promise<() => Promise<unknown>> {
    await this.superuser.query('BEGIN; LOCK TABLE audit.block IN EXCLUSIVE MODE');
    return () => this.superuser.query('COMMIT');
  }

  /** Signs the last blocks of all streams, as audit-log does. */
  async checkpoint(key: CheckpointKey): Promise<Checkpoint> {
    const { rows: heads } = await this.superuser.query<StreamHead>(
      `SELECT DISTINCT ON (stream_id) stream_id AS "streamId", sequence::int, hash FROM audit.block ORDER BY stream_id, sequence DESC`,
    );
    const { rows: retirements } = await this.superuser.query<Retirement>(
      `SELECT partition, (extract(epoch FROM from_at) * 1000)::float8 AS "from", (extract(epoch FROM to_at) * 1000)::float8 AS "to",
         blocks::int, heads FROM audit.retirement`,
    );
    const { rows: last } = await this.superuser.query<Checkpoint>(
      'SELECT number::int, hash FROM audit.checkpoint ORDER BY number DESC LIMIT 1',
    );
    const content = {
      heads,
      retirements: retirements.map((each) => retirementHash(each)!),
      earlierKeys: this.#signedWith(key),
    };
    const signed = key.sign({
      number: (last[0]?.number ?? 0) + 1,
      at: Date.now(),
      previous: last[0]?.hash ?? noPrevious,
      heads: encodeCheckpointContent(content),
    });
    await this.superuser.query(
      'INSERT INTO audit.checkpoint VALUES ($1, to_timestamp($2::float8 / 1000), $3, $4, $5, $6, $7)',
      [signed.number, signed.at, signed.previous, signed.heads, signed.hash, signed.signature, signed.keyId],
    );
    return signed;
  }

  /** The other keys that have signed before. */
  #signedWith(key: CheckpointKey): Buffer[] {
    const earlier = this.#keys.filter(({ id }) => id !== key.id).map(({ publicKey }) => publicKey);
    this.#keys.push(key);
    return earlier;
  }

  async drop(): Promise<void> {
    await this.superuser.end();
    await this.database.drop();
    await Promise.all([this.writer.drop(), this.reader.drop()]);
  }
}

export function roleOf({ url }: TestRole): string {
  return new URL(url).username;
}
