import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Webhooks: the endpoints of clients, and the events that are still to be delivered to each (a transactional outbox).
 */
export class Webhooks1763700000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE webhook_endpoint (
      endpoint_id uuid PRIMARY KEY,
      client_id text NOT NULL,
      url text NOT NULL,
      secret_sealed bytea NOT NULL,
      previous_secret_sealed bytea,
      previous_secret_until timestamptz,
      status text NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled')),
      disabled_reason text,
      disabled_at timestamptz,
      next_due_at timestamptz,
      failing_since timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT reason_when_disabled CHECK ((status = 'disabled') = (disabled_reason IS NOT NULL)
        AND (status = 'disabled') = (disabled_at IS NOT NULL))
    )`);
    await runner.query('CREATE INDEX webhook_endpoint_of_client ON webhook_endpoint (client_id, created_at)');
    await runner.query(`CREATE INDEX webhook_endpoint_due ON webhook_endpoint (next_due_at) WHERE status = 'enabled'`);
    await runner.query(`CREATE TABLE webhook_delivery (
      endpoint_id uuid NOT NULL REFERENCES webhook_endpoint ON DELETE CASCADE,
      event_id uuid NOT NULL,
      sequence bigint GENERATED ALWAYS AS IDENTITY,
      service_user_id bigint NOT NULL REFERENCES service_user ON DELETE CASCADE,
      connection_id uuid,
      body text NOT NULL,
      attempts integer NOT NULL DEFAULT 0,
      first_attempt_at timestamptz,
      due_at timestamptz NOT NULL DEFAULT now(),
      lease_until timestamptz,
      PRIMARY KEY (endpoint_id, event_id)
    )`);
    await runner.query('CREATE INDEX webhook_delivery_due ON webhook_delivery (endpoint_id, due_at, sequence)');
    await runner.query(
      'CREATE INDEX webhook_delivery_of_connection ON webhook_delivery (endpoint_id, connection_id, sequence)',
    );
    await runner.query(
      `CREATE INDEX webhook_delivery_leased ON webhook_delivery (endpoint_id, lease_until)
       WHERE lease_until IS NOT NULL`,
    );
    await runner.query('CREATE INDEX webhook_delivery_of_user ON webhook_delivery (service_user_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhook_delivery');
    await runner.query('DROP TABLE webhook_endpoint');
  }
}
