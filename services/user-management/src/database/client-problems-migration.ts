import type { MigrationInterface, QueryRunner } from 'typeorm';
import { beginCollection } from '../collection/collection-job';

/** Health systems that do not accept our client. Connections that earlier releases gave up for that have their tokens still, and go on. */
export class ClientProblems1764500000103 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE health_system_grant
      ADD COLUMN client_problem text CHECK (client_problem IN ('not_registered', 'refused')),
      ADD COLUMN client_problem_since timestamptz`);
    await runner.query(
      'CREATE INDEX health_system_grant_client_problem ON health_system_grant (client_problem_since) WHERE client_problem IS NOT NULL',
    );
    await runner.query(
      `UPDATE connection SET ${beginCollection('gen_random_uuid()')} WHERE status = 'needs_reauthorization' AND grant_id IS NOT NULL`,
    );
    await runner.query('CREATE INDEX registration_pattern ON registration (pattern)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX registration_pattern');
    await runner.query('ALTER TABLE health_system_grant DROP COLUMN client_problem, DROP COLUMN client_problem_since');
  }
}
