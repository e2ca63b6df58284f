import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhooks: the endpoints of clients, and the events that each of them still has to get. */
export class Webhooks1763700000004 implements MigrationInterface {
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
      served_at timestamptz,
      lease uuid,
      lease_until timestamptz,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT reason_when_disabled CHECK ((status = 'disabled') = (disabled_reason IS NOT NULL) AND (status = 'disabled') = (disabled_at IS NOT NULL))
    )`);
    await runner.query('CREATE INDEX webhook_endpoint_of_client ON webhook_endpoint (client_id, created_at)');
    await runner.query(
      `CREATE INDEX webhook_endpoint_turn ON webhook_endpoint (served_at NULLS FIRST) WHERE status = 'enabled'`,
    );
    await runner.query(`CREATE TABLE webhook_delivery (
      endpoint_id uuid NOT NULL REFERENCES webhook_endpoint ON DELETE CASCADE,
      event_id uuid NOT NULL,
      place bigint GENERATED ALWAYS AS IDENTITY,
      service_user_id bigint NOT NULL REFERENCES service_user ON DELETE CASCADE,
      body text NOT NULL,
      attempts integer NOT NULL DEFAULT 0,
      first_attempt_at timestamptz,
      due_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (endpoint_id, event_id)
    )`);
    await runner.query('CREATE INDEX webhook_delivery_due ON webhook_delivery (endpoint_id, due_at, place)');
    await runner.query('CREATE INDEX webhook_delivery_of_user ON webhook_delivery (service_user_id)');
    await runner.query(
      `ALTER TABLE connection ADD COLUMN last_announced_status text CHECK (last_announced_status IN ('active', 'needs_reauthorization', 'failed'))`,
    );
    await runner.query(`UPDATE connection SET last_announced_status = CASE
      WHEN status IN ('active', 'needs_reauthorization', 'failed') THEN status
      WHEN status = 'collecting' AND last_completed_at IS NOT NULL THEN 'active' END`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE connection DROP COLUMN last_announced_status');
    await runner.query('DROP TABLE webhook_delivery');
    await runner.query('DROP TABLE webhook_endpoint');
  }
}
