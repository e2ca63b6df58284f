import type { DataSource } from 'typeorm';
import type { Attempt, AttemptHistory } from './attempt';

/** $1 the collection, $2 its connection. A collection that has not started yet has no row. */
const attemptHistory = `
SELECT coalesce(max(failed_attempts) FILTER (WHERE collection_id = $1), 0) AS "failedAttempts",
  coalesce(max(unfinished_attempts) FILTER (WHERE collection_id = $1), 0) AS crashes,
  coalesce(max(isolated_crashes) FILTER (WHERE collection_id = $1), 0) AS "isolatedCrashes",
  coalesce(bool_or(is_isolated), false) AS "isIsolated"
FROM collection WHERE collection_id = $1 OR connection_id = $2`;

const startAttempt = `
INSERT INTO collection (collection_id, connection_id, started_at, fence, unfinished_attempts, next_check_at, is_isolated)
VALUES ($1, $2, now(), 1, 1, now() + interval '10 minutes', EXISTS (SELECT FROM collection WHERE connection_id = $2 AND is_isolated))
ON CONFLICT (collection_id) DO UPDATE SET fence = collection.fence + 1, unfinished_attempts = collection.unfinished_attempts + 1
RETURNING fence, failed_attempts AS "failedAttempts", unfinished_attempts - 1 AS crashes, isolated_crashes AS "isolatedCrashes",
  is_isolated AS "isIsolated"`;

/** The attempts at collections in PostgreSQL: their fencing tokens, and how they ended. */
export class Attempts {
  constructor(private readonly database: DataSource) {}

  /** The outcomes of the attempts so far. */
  async history(connectionId: string, collectionId: string): Promise<AttemptHistory> {
    const [history] = (await this.database.query(attemptHistory, [collectionId, connectionId])) as [AttemptHistory];
    return history;
  }

  /**
   * Starts an attempt. From now on earlier attempts cannot write. The attempt counts as crashed unless `end` is called.
   */
  async start(connectionId: string, collectionId: string): Promise<{ attempt: Attempt; history: AttemptHistory }> {
    const [{ fence, ...history }] = (await this.database.query(startAttempt, [collectionId, connectionId])) as [
      AttemptHistory & { fence: number },
    ];
    return { attempt: { connectionId, collectionId, fence }, history };
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
