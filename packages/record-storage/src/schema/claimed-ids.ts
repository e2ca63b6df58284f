import type { StatementRunner } from '@tributary/key-vault';

const up: readonly string[] = [
  // Ids that clients chose for resources, each with the user of its record: no two records may have the same one. Ids
  // that the service assigns are UUIDs of version 8, random or derived from a secret. No client can choose these.
  `CREATE TABLE fhir_store.claimed_id (
    id uuid NOT NULL,
    user_id bigint NOT NULL,
    PRIMARY KEY (id)
  )`,
  `CREATE INDEX claimed_id_user ON fhir_store.claimed_id (user_id)`,
  // The first release assigned UUIDs of version 7, too. If two records have the same id already, one of them gets the
  // claim, and both keep their resources.
  `INSERT INTO fhir_store.claimed_id (id, user_id)
    SELECT id, min(user_id) FROM (
      SELECT id, user_id FROM fhir_store.resource UNION ALL SELECT id, user_id FROM fhir_store.version
    ) r WHERE substr(id::text, 15, 1) <> '8' GROUP BY id`,
];

/** The table that keeps the ids of resources unique over all records. */
export class ClaimedIds1763830000000 {
  readonly name = 'ClaimedIds1763830000000';

  async up(runner: StatementRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: StatementRunner): Promise<void> {
    await runner.query('DROP TABLE fhir_store.claimed_id');
  }
}
