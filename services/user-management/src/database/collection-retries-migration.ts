import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Collections that wait for a health system, and a schedule of the queue that progress reports do not touch. `queued_at` is not used any
 * more; it stays for replicas of the release before.
 */
export class CollectionRetries1764500000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE connection
      ADD COLUMN queue_at timestamptz NOT NULL DEFAULT now(),
      ADD COLUMN queue_checks integer NOT NULL DEFAULT 0,
      ADD COLUMN heartbeat_at timestamptz,
      ADD COLUMN retry_at timestamptz,
      ADD COLUMN failing_since timestamptz,
      ADD COLUMN failed_attempts integer NOT NULL DEFAULT 0`);
    await runner.query('ALTER TABLE connection SET (fillfactor = 85)');
    await runner.query(`CREATE INDEX connection_to_queue ON connection (queue_at) WHERE status = 'collecting'`);
    await runner.query('DROP INDEX connection_awaiting_collection');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX connection_awaiting_collection ON connection (queued_at NULLS FIRST) WHERE status = 'collecting'`,
    );
    await runner.query('ALTER TABLE connection RESET (fillfactor)');
    for (const column of ['queue_at', 'queue_checks', 'heartbeat_at', 'retry_at', 'failing_since', 'failed_attempts'])
      await runner.query(`ALTER TABLE connection DROP COLUMN ${column}`);
  }
}
