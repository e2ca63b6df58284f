import type { ConnectionsClient } from '@tributary/contracts';
import type { ScopedKeys } from '@tributary/key-vault';
import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { type Positions, keyScopes } from './positions';

export interface CheckpointSweepOptions {
  database: DataSource;
  keys: ScopedKeys;
  connections: ConnectionsClient;
  positions: Positions;
  log: Logger;
}

interface TakenRow {
  collection_id: string;
  connection_id: string;
}

const atOnce = 500;

/** What is taken comes again soon if this process does not get to its end; replicas share out what is due. */
const takeDue = `
UPDATE collection SET check_at = now() + interval '5 minutes'
WHERE collection_id IN (SELECT collection_id FROM collection WHERE check_at <= now() ORDER BY check_at LIMIT $1 FOR UPDATE SKIP LOCKED)
RETURNING collection_id, connection_id`;

/** Checkpoints of a collection under way are looked after often; what is known of a completed one names no patient. */
const checkLater = `
UPDATE collection SET check_at = now() + (CASE WHEN completed_at IS NULL THEN interval '10 minutes' ELSE interval '1 day' END) * (0.9 + 0.2 * random())
WHERE collection_id = ANY ($1)`;

/** The row of a collection is made before its key: a key without a row is left over from a deletion that was cut off. */
const orphanedKeys = `
SELECT k.scope FROM data_key k
WHERE k.scope LIKE $1 || '%' AND NOT EXISTS (SELECT FROM collection c WHERE c.collection_id = substr(k.scope, length($1) + 1)::uuid)
LIMIT $2`;

/**
 * Deletes what is kept of connections that were revoked or deleted, and the checkpoints and keys of collections that have ended: within
 * ten minutes of a collection that was under way, within a day otherwise.
 */
export class CheckpointSweep {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(private readonly options: CheckpointSweepOptions) {}

  every(ms: number): void {
    this.#timer = setTimeout(
      () => {
        this.#running = this.run()
          .catch((error: unknown) =>
            this.options.log.warn({ err: describeError(error) }, 'the sweep of checkpoints failed'),
          )
          .then(() => (this.#isStopped ? undefined : this.every(ms)));
      },
      ms * (0.5 + Math.random()),
    ).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Looks after everything that is due now. @throws when user-management or PostgreSQL is away; the rest is due again later */
  async run(): Promise<void> {
    const { database, keys } = this.options;
    for (let taken = atOnce; taken === atOnce && !this.#isStopped;) {
      const [rows] = (await database.query(takeDue, [atOnce])) as [TakenRow[]];
      taken = rows.length;
      if (taken > 0) await this.#check(rows);
    }
    const orphans = (await database.query(orphanedKeys, [keyScopes, atOnce])) as { scope: string }[];
    for (const { scope } of orphans) await keys.destroy(scope);
  }

  async #check(rows: readonly TakenRow[]): Promise<void> {
    const { connections, positions, database } = this.options;
    const statuses = await connections.statuses([...new Set(rows.map(({ connection_id }) => connection_id))]);
    for (const { connection_id: connectionId, collection_id: collectionId } of rows) {
      const status = statuses.get(connectionId);
      if (status === undefined || status === 'revoked') await positions.forgetConnection(connectionId);
      else if (status !== 'collecting') await positions.settle(collectionId);
    }
    await database.query(checkLater, [rows.map(({ collection_id }) => collection_id)]);
  }
}
