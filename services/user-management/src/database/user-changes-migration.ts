import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pauses of changes of users that cannot be finished, and how many users each client has. */
export class UserChanges1764500000105 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE service_user
      ADD COLUMN change_number integer NOT NULL DEFAULT 0,
      ADD COLUMN change_attempts integer NOT NULL DEFAULT 0,
      ADD COLUMN change_retry_at timestamptz`);
    await runner.query(
      `CREATE INDEX service_user_change_due ON service_user (change_retry_at NULLS FIRST) WHERE state IN ('deactivating', 'deleting')`,
    );
    await runner.query('DROP INDEX service_user_unfinished');
    await runner.query('CREATE TABLE client_user_count (client_id text PRIMARY KEY, users bigint NOT NULL)');
    await runner.query(`CREATE FUNCTION count_users() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        IF TG_OP <> 'INSERT' AND old.state <> 'deleting' THEN
          UPDATE client_user_count SET users = users - 1 WHERE client_id = old.client_id;
        END IF;
        IF TG_OP <> 'DELETE' AND new.state <> 'deleting' THEN
          INSERT INTO client_user_count AS c (client_id, users) VALUES (new.client_id, 1) ON CONFLICT (client_id) DO UPDATE SET users = c.users + 1;
        END IF;
        RETURN NULL;
      END $$`);
    await runner.query('LOCK TABLE service_user IN SHARE ROW EXCLUSIVE MODE');
    await runner.query(
      `CREATE TRIGGER count_added_or_removed AFTER INSERT OR DELETE ON service_user FOR EACH ROW EXECUTE FUNCTION count_users()`,
    );
    await runner.query(`CREATE TRIGGER count_changed AFTER UPDATE OF state ON service_user FOR EACH ROW
      WHEN ((old.state = 'deleting') IS DISTINCT FROM (new.state = 'deleting')) EXECUTE FUNCTION count_users()`);
    await runner.query(
      `INSERT INTO client_user_count SELECT client_id, count(*) FROM service_user WHERE state <> 'deleting' GROUP BY client_id`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER count_added_or_removed ON service_user');
    await runner.query('DROP TRIGGER count_changed ON service_user');
    await runner.query('DROP FUNCTION count_users()');
    await runner.query('DROP TABLE client_user_count');
    await runner.query(
      `CREATE INDEX service_user_unfinished ON service_user (changed_at) WHERE state IN ('deactivating', 'deleting')`,
    );
    await runner.query(
      'ALTER TABLE service_user DROP COLUMN change_number, DROP COLUMN change_attempts, DROP COLUMN change_retry_at',
    );
  }
}
