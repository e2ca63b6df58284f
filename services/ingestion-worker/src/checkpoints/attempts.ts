import type { DataSource } from 'typeorm';
import type { Attempt, AttemptHistory } from './attempt';
import { collectionEntity } from './tables';

interface StartedRow {
  fence: number;
  failed_attempts: number;
  unfinished_attempts: number;
  isolated_crashes: number;
  is_isolated: boolean;
}

const startAttempt = `
INSERT INTO collection (collection_id, connection_id, started_at, fence, unfinished_attempts, next_check_at, is_isolated)
VALUES ($1, $2, now(), 1, 1, now() + interval '10 minutes', EXISTS (SELECT FROM collection WHERE connection_id = $2 AND is_isolated))
ON CONFLICT (collection_id) DO UPDATE SET fence = collection.fence + 1, unfinished_attempts = collection.unfinished_attempts + 1
RETURNING fence, failed_attempts, unfinished_attempts, isolated_crashes, is_isolated`;

/** The attempts at collections in PostgreSQL: their fencing tokens, and how they ended. */
export class Attempts {
  constructor(private readonly database: DataSource) {}

  /** The outcomes of the attempts so far. */
  async history(connectionId: string, collectionId: string): Promise<AttemptHistory> {
    const rows = await this.database
      .getRepository(collectionEntity)
      .findBy([{ collection_id: collectionId }, { connection_id: connectionId, is_isolated: true }]);
    const row = rows.find(({ collection_id }) => collection_id === collectionId) ?? {
      failed_attempts: 0,
      unfinished_attempts: 0,
      isolated_crashes: 0,
    };
    const isIsolated = rows.some(({ is_isolated }) => is_isolated);
    return historyOf({ ...row, is_isolated: isIsolated }, row.unfinished_attempts);
  }

  /**
   * Starts an attempt. From now on earlier attempts cannot write. The attempt counts as crashed unless `end` is called.
   */
  async start(connectionId: string, collectionId: string): Promise<{ attempt: Attempt; history: AttemptHistory }> {
    const [row] = (await this.database.query(startAttempt, [collectionId, connectionId])) as [StartedRow];
    return {
      attempt: { connectionId, collectionId, fence: row.fence },
      history: historyOf(row, row.unfinished_attempts - 1),
    };
  }

  /**
   * Ends an attempt in an orderly way.
   * @param hasFailed whether it ended incomplete although the health system responded
   */
  async end({ collectionId, fence }: Attempt, hasFailed: boolean): Promise<void> {
    await this.database.query(
      'UPDATE collection SET unfinished_attempts = 0, failed_attempts = failed_attempts + $3 WHERE collection_id = $1 AND fence = $2',
      [collectionId, fence, hasFailed ? 1 : 0],
    );
  }

  /** Records that the process that ran this attempt alone has crashed. */
  async recordIsolatedCrash({ collectionId, fence }: Attempt): Promise<void> {
    await this.database.query(
      `UPDATE collection SET unfinished_attempts = 0, isolated_crashes = isolated_crashes + 1, is_isolated = true
       WHERE collection_id = $1 AND fence = $2`,
      [collectionId, fence],
    );
  }
}

function historyOf(row: Omit<StartedRow, 'fence'>, crashes: number): AttemptHistory {
  return {
    failedAttempts: row.failed_attempts,
    crashes,
    isolatedCrashes: row.isolated_crashes,
    isIsolated: row.is_isolated,
  };
}
