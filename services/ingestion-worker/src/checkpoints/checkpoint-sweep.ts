import type { AuditTrail } from '@tributary/audit-log';
import type { ConnectionsClient } from '@tributary/contracts';
import { rewrapDataKeys } from '@tributary/key-providers';
import type { ScopedKeys } from '@tributary/key-vault';
import { type PeriodicTask, startPeriodicTask } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { serviceName } from '../config';
import { type Checkpoints, keyScopePrefix } from './checkpoints';

export interface CheckpointSweepOptions {
  database: DataSource;
  keys: ScopedKeys;
  connections: ConnectionsClient;
  checkpoints: Checkpoints;
  audit: AuditTrail;
  log: Logger;
}

interface ClaimedRow {
  collection_id: string;
  connection_id: string;
}

const batchSize = 500;
const rewrapEveryMs = 3_600_000;

/** Replicas share the due rows. A row is due again in five minutes when this process does not finish it. */
const claimDue = `
UPDATE collection SET next_check_at = now() + interval '5 minutes'
WHERE collection_id IN (SELECT collection_id FROM collection WHERE next_check_at <= now() ORDER BY next_check_at LIMIT $1 FOR UPDATE SKIP LOCKED)
RETURNING collection_id, connection_id`;

/** A collection in progress has checkpoints, which name the patient, and is checked often; a completed one has none. */
const scheduleNextCheck = `
UPDATE collection SET next_check_at = now() + (CASE WHEN completed_at IS NULL THEN interval '10 minutes' ELSE interval '1 day' END) * (0.9 + 0.2 * random())
WHERE collection_id = ANY ($1)`;

/**
 * The row of a collection is created before its key: a key without a row is left over from a deletion that was
 * interrupted.
 */
const orphanedKeys = `
SELECT k.scope FROM data_key k
WHERE k.scope LIKE $1 || '%' AND NOT EXISTS (SELECT FROM collection c WHERE c.collection_id = substr(k.scope, length($1) + 1)::uuid)
LIMIT $2`;

/**
 * Deletes the rows of connections that were revoked or deleted, and the checkpoints and keys of collections that have
 * ended: within ten minutes when the collection was in progress, within a day otherwise. Wraps the keys by the newest
 * version of the key-encryption key, every hour.
 */
export class CheckpointSweep {
  #tasks: readonly PeriodicTask[] = [];

  constructor(private readonly options: CheckpointSweepOptions) {}

  /** Starts the periodic runs. */
  start(intervalMs: number): void {
    const { log } = this.options;
    const run = (signal: AbortSignal): Promise<void> => this.run(signal);
    const rewrap = (): Promise<void> => this.rewrap();
    this.#tasks = [
      startPeriodicTask({ name: 'the sweep of checkpoints', intervalMs, run, log }),
      startPeriodicTask({ name: 'rewrapping the keys of collections', intervalMs: rewrapEveryMs, run: rewrap, log }),
    ];
  }

  async stop(): Promise<void> {
    await Promise.all(this.#tasks.map((task) => task.stop()));
  }

  /**
   * Processes everything that is due now.
   * @throws when user-management or PostgreSQL is unavailable; the rest is due again later
   */
  async run(signal?: AbortSignal): Promise<void> {
    const { database, keys } = this.options;
    for (let claimed = batchSize; claimed === batchSize && !signal?.aborted;) {
      const [rows] = (await database.query(claimDue, [batchSize])) as [ClaimedRow[]];
      claimed = rows.length;
      if (claimed > 0) await this.#check(rows);
    }
    const orphans = (await database.query(orphanedKeys, [keyScopePrefix, batchSize])) as { scope: string }[];
    for (const { scope } of orphans) await keys.destroy(scope);
  }

  rewrap(): Promise<void> {
    return rewrapDataKeys({ service: serviceName, ...this.options });
  }

  async #check(rows: readonly ClaimedRow[]): Promise<void> {
    const { connections, checkpoints, database } = this.options;
    const statuses = await connections.statuses([...new Set(rows.map(({ connection_id }) => connection_id))]);
    for (const { connection_id: connectionId, collection_id: collectionId } of rows) {
      const status = statuses.get(connectionId);
      if (status === undefined || status === 'revoked') await checkpoints.deleteConnection(connectionId);
      else if (status !== 'collecting') await checkpoints.deleteCheckpoints(collectionId);
    }
    await database.query(scheduleNextCheck, [rows.map(({ collection_id }) => collection_id)]);
  }
}
