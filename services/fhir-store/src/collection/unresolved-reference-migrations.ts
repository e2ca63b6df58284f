import type { MigrationClass, StatementRunner } from '@tributary/key-vault';

/**
 * The table of references of collected resources whose targets the record does not hold. `source` is a blind index and
 * `reference` is encrypted, so a dump does not disclose them. A `pending` reference is fetched by the collector and
 * resolved or reverted when the collection ends. A `reverted` reference has the text of the source in its resource
 * until its target is stored. Its row expires when its resource is no longer collected.
 */
export function unresolvedReferenceMigrations(partitions = 0): MigrationClass[] {
  class AwaitedReference1763710000000 {
    readonly name = 'AwaitedReference1763710000000';

    async up(runner: StatementRunner): Promise<void> {
      await runner.query(`CREATE TABLE fhir_store.awaited_reference (
        user_id bigint NOT NULL,
        source bigint NOT NULL,
        referrer_id uuid NOT NULL,
        target_id uuid NOT NULL,
        referrer_kind smallint NOT NULL,
        target_kind smallint NOT NULL,
        pending boolean NOT NULL,
        restored boolean NOT NULL,
        reference bytea NOT NULL,
        PRIMARY KEY (user_id, source, referrer_kind, referrer_id, target_kind, target_id)
      )${partitions > 0 ? ' PARTITION BY HASH (user_id)' : ''}`);
      for (let part = 0; part < partitions; part++) {
        await runner.query(
          `CREATE TABLE fhir_store.awaited_reference_${part} PARTITION OF fhir_store.awaited_reference FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${part})`,
        );
      }
    }

    async down(runner: StatementRunner): Promise<void> {
      await runner.query('DROP TABLE fhir_store.awaited_reference');
    }
  }
  return [
    AwaitedReference1763710000000,
    AwaitedReferenceIndexes1763820000000,
    UnresolvedReferenceNames1763850000001,
    OutdatedTargets1763900000000,
  ];
}

/**
 * The indexes of the three queries: pending references of a source, references whose target has arrived, and references
 * that are too old. remembered_at: when the reference was last collected or reverted, epoch milliseconds.
 */
class AwaitedReferenceIndexes1763820000000 {
  readonly name = 'AwaitedReferenceIndexes1763820000000';

  async up(runner: StatementRunner): Promise<void> {
    await runner.query(`DO $$ BEGIN
      EXECUTE format('ALTER TABLE fhir_store.awaited_reference ADD COLUMN remembered_at bigint NOT NULL DEFAULT %s',
        floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);
    END $$`);
    await runner.query(`CREATE INDEX awaited_reference_pending
      ON fhir_store.awaited_reference (user_id, source, referrer_kind, referrer_id, target_kind, target_id) WHERE pending`);
    await runner.query(`CREATE INDEX awaited_reference_target
      ON fhir_store.awaited_reference (user_id, source, target_kind, target_id) WHERE NOT pending`);
    await runner.query(
      `CREATE INDEX awaited_reference_remembered ON fhir_store.awaited_reference (remembered_at) WHERE NOT pending`,
    );
  }

  async down(runner: StatementRunner): Promise<void> {
    await runner.query(
      'DROP INDEX fhir_store.awaited_reference_pending, fhir_store.awaited_reference_target, fhir_store.awaited_reference_remembered',
    );
    await runner.query('ALTER TABLE fhir_store.awaited_reference DROP COLUMN remembered_at');
  }
}

const columns = [
  ['referrer_kind', 'referrer_type_code'],
  ['target_kind', 'target_type_code'],
  ['restored', 'reverted'],
] as const;

/** Renames the partitions and indexes of the table, whose names begin with that of the table. */
const renameDependents = (from: string, to: string): string => `DO $$
  DECLARE
    found record;
  BEGIN
    FOR found IN
      WITH tables AS (
        SELECT 'fhir_store.${to}'::regclass::oid AS oid UNION SELECT inhrelid FROM pg_inherits WHERE inhparent = 'fhir_store.${to}'::regclass
      )
      SELECT relname AS name, CASE WHEN relkind IN ('i', 'I') THEN 'INDEX' ELSE 'TABLE' END AS what FROM pg_class
      WHERE relname LIKE '${from}%' AND oid IN (SELECT oid FROM tables UNION SELECT indexrelid FROM pg_index WHERE indrelid IN (SELECT oid FROM tables))
    LOOP
      EXECUTE format('ALTER %s fhir_store.%I RENAME TO %I', found.what, found.name, replace(found.name, '${from}', '${to}'));
    END LOOP;
  END $$`;

/** Gives the table and its columns the names that the code uses. Renaming changes the catalog alone. */
class UnresolvedReferenceNames1763850000001 {
  readonly name = 'UnresolvedReferenceNames1763850000001';

  async up(runner: StatementRunner): Promise<void> {
    await runner.query('ALTER TABLE fhir_store.awaited_reference RENAME TO unresolved_reference');
    for (const [from, to] of columns)
      await runner.query(`ALTER TABLE fhir_store.unresolved_reference RENAME COLUMN ${from} TO ${to}`);
    await runner.query(renameDependents('awaited_reference', 'unresolved_reference'));
  }

  async down(runner: StatementRunner): Promise<void> {
    await runner.query('ALTER TABLE fhir_store.unresolved_reference RENAME TO awaited_reference');
    for (const [from, to] of columns)
      await runner.query(`ALTER TABLE fhir_store.awaited_reference RENAME COLUMN ${to} TO ${from}`);
    await runner.query(renameDependents('unresolved_reference', 'awaited_reference'));
  }
}

/**
 * is_outdated: the target is stored, and is read again because its referrer has changed. The default is part of the
 * catalog: no row is rewritten.
 */
class OutdatedTargets1763900000000 {
  readonly name = 'OutdatedTargets1763900000000';

  async up(runner: StatementRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE fhir_store.unresolved_reference ADD COLUMN is_outdated boolean NOT NULL DEFAULT false',
    );
  }

  async down(runner: StatementRunner): Promise<void> {
    await runner.query('ALTER TABLE fhir_store.unresolved_reference DROP COLUMN is_outdated');
  }
}
