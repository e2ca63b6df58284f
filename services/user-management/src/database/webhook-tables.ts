/**
 * Creates webhooks: the endpoints of clients, the events of the last days (a transactional outbox), and the delivery of
 * each event to each endpoint. Events of a user are deleted with the user.
 */
export const webhookTables = `
CREATE TABLE webhook_endpoint (
  endpoint_id uuid PRIMARY KEY,
  client_id text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('test', 'live')),
  url text NOT NULL,
  events text[] CHECK (cardinality(events) > 0),
  secret_sealed bytea NOT NULL,
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  status text NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled', 'deleting')),
  disabled_reason text,
  disabled_at timestamptz,
  next_due_at timestamptz,
  failing_since timestamptz,
  consecutive_failures integer NOT NULL DEFAULT 0,
  last_success_at timestamptz,
  last_failure jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT reason_when_disabled CHECK ((status = 'disabled') = (disabled_reason IS NOT NULL)
    AND (status = 'disabled') = (disabled_at IS NOT NULL))
);
CREATE INDEX webhook_endpoint_of_client ON webhook_endpoint (client_id, created_at);
CREATE INDEX webhook_endpoint_due ON webhook_endpoint (next_due_at) WHERE status = 'enabled';
CREATE INDEX webhook_endpoint_closed ON webhook_endpoint (endpoint_id) WHERE status <> 'enabled';
CREATE TABLE webhook_event (
  event_id uuid PRIMARY KEY,
  sequence bigint GENERATED ALWAYS AS IDENTITY,
  client_id text NOT NULL,
  type text NOT NULL,
  service_user_id bigint REFERENCES service_user ON DELETE CASCADE,
  connection_id uuid,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_event_of_client ON webhook_event (client_id, created_at, sequence);
CREATE INDEX webhook_event_expiry ON webhook_event (created_at);
CREATE INDEX webhook_event_of_user ON webhook_event (service_user_id);
-- sequence, type and created_at are those of the event: each filter of the log has an index in its order. Only
-- pending deliveries are in the indexes of the queue.
CREATE TABLE webhook_delivery (
  endpoint_id uuid NOT NULL REFERENCES webhook_endpoint ON DELETE CASCADE,
  event_id uuid NOT NULL REFERENCES webhook_event ON DELETE CASCADE,
  sequence bigint NOT NULL,
  type text NOT NULL,
  created_at timestamptz NOT NULL,
  connection_id uuid,
  state text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'missed')),
  attempts integer NOT NULL DEFAULT 0,
  first_attempt_at timestamptz,
  due_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz,
  attempt_log jsonb NOT NULL DEFAULT '[]',
  PRIMARY KEY (event_id, endpoint_id)
);
CREATE INDEX webhook_delivery_log ON webhook_delivery (endpoint_id, created_at, sequence);
CREATE INDEX webhook_delivery_of_type ON webhook_delivery (endpoint_id, type, created_at, sequence);
CREATE INDEX webhook_delivery_of_state ON webhook_delivery (endpoint_id, state, created_at, sequence)
  WHERE state <> 'delivered';
CREATE INDEX webhook_delivery_due ON webhook_delivery (endpoint_id, due_at, sequence) WHERE state = 'pending';
CREATE INDEX webhook_delivery_of_connection ON webhook_delivery (endpoint_id, connection_id, sequence)
  WHERE state = 'pending';
CREATE INDEX webhook_delivery_leased ON webhook_delivery (endpoint_id, lease_until)
  WHERE lease_until IS NOT NULL;
`;
