import type { Client } from 'pg';
import type { Block } from '../block/block';
import type { WrappedStreamKey } from '../block/stream-key';

export interface BlockTableOptions {
  /** Makes a client of the database with time limits, which is not connected yet. */
  createClient(): Client;
  /** Whether statements are prepared once for each connection, which a transaction pooler does not allow. */
  preparesStatements: boolean;
  log: { warn(details: object, message: string): void };
}

/** SQLSTATE. */
const invalidPassword = '28P01';
const furtherAttempts = 2;

export interface NewStream extends WrappedStreamKey {
  streamId: string;
  service: string;
  instance: string;
  version: string;
}

// With a conflict target, PostgreSQL would require the privilege to read the columns.
const insertStream = `INSERT INTO audit.stream (stream_id, service, instance, started_at, key_wrapped, key_id, version)
VALUES ($1, $2, $3, now(), $4, $5, $6) ON CONFLICT DO NOTHING`;

const insertBlock = `INSERT INTO audit.block (stream_id, sequence, started_at, events, keys, previous, content, hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`;

/**
 * The insertion of rows over one connection of its own, which is opened again after each failure. No other statement
 * delays them, and two of them are never under way at once.
 */
export class BlockTable {
  readonly #options: BlockTableOptions;
  #client: Client | undefined;

  constructor(options: BlockTableOptions) {
    this.#options = options;
  }

  /** Inserts a row unless it is there already. */
  async addStream({ streamId, service, instance, wrapped, keyId, version }: NewStream): Promise<void> {
    await this.#run('audit-stream', insertStream, [streamId, service, instance, wrapped, keyId, version]);
  }

  /** Inserts a row unless it is there already, as after a commit whose confirmation was lost. */
  async addBlock({ streamId, sequence, startedAt, events, keys, previous, content, hash }: Block): Promise<void> {
    const time = new Date(startedAt).toISOString();
    const values = [streamId, sequence, time, events, `{${keys.join(',')}}`, previous, content, hash];
    await this.#run('audit-block', insertBlock, values);
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  async #run(name: string, text: string, values: unknown[]): Promise<void> {
    const client = (this.#client ??= await this.#connect());
    try {
      await client.query({ ...(this.#options.preparesStatements ? { name } : {}), text, values });
    } catch (error) {
      // The statement may still be under way, so nothing else is sent on this connection.
      this.#discard(client);
      throw error;
    }
  }

  async #connect(): Promise<Client> {
    for (let attempt = 0; ; attempt++) {
      const client = this.#options.createClient();
      client.on('error', () => this.#discard(client));
      try {
        await client.connect();
        return client;
      } catch (error) {
        // The next client takes another password, where it is being replaced.
        if ((error as { code?: unknown }).code !== invalidPassword || attempt === furtherAttempts) throw error;
      }
    }
  }

  #discard(client: Client): void {
    if (this.#client === client) this.#client = undefined;
    client.end().catch(() => undefined);
  }
}
