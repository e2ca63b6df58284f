/**
 * Creates users, the number of users of each client, and the tie between a user and the data key of that user. The
 * client's identifier of a user is sealed (AES-256-GCM); a blind index finds it. The table of data keys must exist.
 */
export const userTables = `
CREATE SEQUENCE service_user_id AS bigint;
CREATE TABLE service_user (
  service_user_id bigint PRIMARY KEY,
  client_id text NOT NULL,
  state text NOT NULL CHECK (state IN ('active', 'deactivating', 'inactive', 'deleting')),
  app_user_id_sealed bytea,
  app_user_id_blind_index bytea,
  change_number integer NOT NULL DEFAULT 0,
  change_attempts integer NOT NULL DEFAULT 0,
  change_retry_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT identified_until_deleted
    CHECK ((state = 'deleting') = (app_user_id_sealed IS NULL)
      AND (state = 'deleting') = (app_user_id_blind_index IS NULL))
);
CREATE UNIQUE INDEX service_user_app_user_id ON service_user (client_id, app_user_id_blind_index);
CREATE INDEX service_user_of_client ON service_user (client_id, service_user_id) WHERE state <> 'deleting';
CREATE INDEX service_user_change_due ON service_user (change_retry_at NULLS FIRST)
  WHERE state IN ('deactivating', 'deleting');
-- total of a list of users is read from this count: count(*) over a large client would read its whole index.
CREATE TABLE client_user_count (client_id text PRIMARY KEY, users bigint NOT NULL);
CREATE FUNCTION count_users() RETURNS trigger LANGUAGE plpgsql
  SET search_path FROM CURRENT AS $$
  BEGIN
    IF TG_OP <> 'INSERT' AND old.state <> 'deleting' THEN
      UPDATE client_user_count SET users = users - 1 WHERE client_id = old.client_id;
    END IF;
    IF TG_OP <> 'DELETE' AND new.state <> 'deleting' THEN
      INSERT INTO client_user_count AS c (client_id, users) VALUES (new.client_id, 1)
        ON CONFLICT (client_id) DO UPDATE SET users = c.users + 1;
    END IF;
    RETURN NULL;
  END $$;
CREATE TRIGGER count_added_or_removed AFTER INSERT OR DELETE ON service_user
  FOR EACH ROW EXECUTE FUNCTION count_users();
CREATE TRIGGER count_changed AFTER UPDATE OF state ON service_user FOR EACH ROW
  WHEN ((old.state = 'deleting') IS DISTINCT FROM (new.state = 'deleting')) EXECUTE FUNCTION count_users();
-- A data key cannot be created for a user who does not exist, and is deleted with the row of its user.
ALTER TABLE data_key ADD COLUMN service_user_id bigint
  GENERATED ALWAYS AS (substring(scope from '^user-([0-9]{1,18})$')::bigint) STORED;
CREATE INDEX data_key_of_user ON data_key (service_user_id) WHERE service_user_id IS NOT NULL;
ALTER TABLE data_key ADD CONSTRAINT data_key_of_user FOREIGN KEY (service_user_id)
  REFERENCES service_user ON DELETE CASCADE;
`;
