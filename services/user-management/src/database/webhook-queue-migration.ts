import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When each webhook endpoint is to be looked at, and leases on deliveries instead of endpoints. `served_at`, `lease` and `lease_until` of
 * the endpoint are not used any more; they stay for replicas of the release before.
 */
export class WebhookQueue1764500000104 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE webhook_endpoint ADD COLUMN next_due_at timestamptz, ADD COLUMN failing_since timestamptz',
    );
    await runner.query(
      `ALTER TABLE webhook_delivery ADD COLUMN connection_id uuid, ADD COLUMN lease uuid, ADD COLUMN lease_until timestamptz`,
    );
    await runner.query(`UPDATE webhook_delivery SET connection_id = (body::jsonb #>> '{data,connection_id}')::uuid`);
    await runner.query(
      'UPDATE webhook_endpoint e SET next_due_at = now() WHERE EXISTS (SELECT FROM webhook_delivery d WHERE d.endpoint_id = e.endpoint_id)',
    );
    await runner.query(`CREATE INDEX webhook_endpoint_due ON webhook_endpoint (next_due_at) WHERE status = 'enabled'`);
    await runner.query(
      'CREATE INDEX webhook_delivery_of_connection ON webhook_delivery (endpoint_id, connection_id, place)',
    );
    await runner.query(
      'CREATE INDEX webhook_delivery_leased ON webhook_delivery (endpoint_id, lease_until) WHERE lease_until IS NOT NULL',
    );
    await runner.query('DROP INDEX webhook_endpoint_turn');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX webhook_endpoint_turn ON webhook_endpoint (served_at NULLS FIRST) WHERE status = 'enabled'`,
    );
    await runner.query(
      'ALTER TABLE webhook_delivery DROP COLUMN connection_id, DROP COLUMN lease, DROP COLUMN lease_until',
    );
    await runner.query('ALTER TABLE webhook_endpoint DROP COLUMN next_due_at, DROP COLUMN failing_since');
  }
}
