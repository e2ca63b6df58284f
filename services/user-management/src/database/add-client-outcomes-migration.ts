import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts of outcomes per client and day, and when the collection in progress was due, for its duration. */
export class AddClientOutcomes1765100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Counts, without users; see outcomes/client-outcomes.ts. The health system is 0 where a count is about none.
    await runner.query(`CREATE TABLE client_outcome (
      client_id text NOT NULL,
      day date NOT NULL,
      shard smallint NOT NULL,
      kind text NOT NULL CHECK (kind IN ('collection', 'collection_seconds', 'resource', 'connection', 'webhook',
        'webhook_ms', 'failed_connect', 'failed_refresh', 'failed_collection', 'refused_type')),
      health_system_id bigint NOT NULL,
      label text NOT NULL CHECK (label ~ '^[A-Za-z0-9_]{1,64}$'),
      health_system_name text NOT NULL,
      occurrences bigint NOT NULL,
      PRIMARY KEY (client_id, day, shard, kind, health_system_id, label)
    ) WITH (fillfactor = 70)`);
    await runner.query('CREATE INDEX client_outcome_by_day ON client_outcome (day)');
    // Null once the collection has ended: a replica of the version before stores no time for the next one. Null also
    // for collections that are in progress during the migration.
    await runner.query('ALTER TABLE connection ADD COLUMN collection_due_at timestamptz');
    await runner.query('ALTER TABLE connection ALTER COLUMN collection_due_at SET DEFAULT now()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE client_outcome');
    await runner.query('ALTER TABLE connection DROP COLUMN collection_due_at');
  }
}
