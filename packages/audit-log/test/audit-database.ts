import { generateKeyPairSync } from 'node:crypto';
import { type TestDatabase, type TestRole, createDatabase, createRole } from '@tributary/test-environment';
import { Client } from 'pg';
import type { Block } from '../src/block/block';
import { openBlock } from '../src/block/block';
import { StreamKeyOpener } from '../src/block/stream-key';
import type { AuditEvent } from '../src/event/audit-event';
import { createAuditSchema } from '../src/schema/audit-schema';
import { AuditWriter, type AuditWriterOptions } from '../src/write/audit-writer';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const sealingKey = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const openingKey = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');

/** A database with the tables of the audit log, the roles of a service and of audit-log, and a superuser. */
export class AuditDatabase {
  private constructor(
    private readonly database: TestDatabase,
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
    const key = new StreamKeyOpener([openingKey]).open({ streamId, ...rows[0]! });
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

  async drop(): Promise<void> {
    await this.superuser.end();
    await this.database.drop();
    await Promise.all([this.writer.drop(), this.reader.drop()]);
  }
}

export function roleOf({ url }: TestRole): string {
  return new URL(url).username;
}
