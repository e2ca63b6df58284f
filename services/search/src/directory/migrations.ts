import { type DatabaseConfig, type MigratedSchema, migrateDatabase } from '@tributary/service-kit';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A source is a file or URL that the directory is loaded from. Its `mode` says which clients see its health systems:
 * those of the mode `test` are test systems, such as the sandbox. A health system that its source no longer publishes
 * keeps its row with `removed_at`, so that it has the same id if it is published again. `health_system_key` holds the
 * keys by which later loads recognize a health system.
 *
 * `endpoint_check` holds what `directory verify` learned of each FHIR base URL: `address` without slashes at its end.
 * `failures` counts failed checks since the last success. `registered_pattern` is a copy of the patterns for which
 * user-management holds a registration.
 */
class CreateSchema1763700000001 implements MigrationInterface {
  readonly name = 'CreateSchema1763700000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table source (
        name text primary key,
        origin text not null,
        mode text not null check (mode in ('test', 'live')),
        etag text,
        last_modified text,
        loaded_at timestamptz not null default now()
      )`);
    await runner.query(`
      create table health_system (
        id bigint generated always as identity primary key,
        source text not null references source on delete restrict,
        name text not null,
        sort_key text collate "C" not null,
        address text not null,
        aliases jsonb not null,
        addresses jsonb not null,
        parents jsonb not null,
        portals jsonb not null,
        logo text,
        endpoints jsonb not null,
        changed_at timestamptz not null default now(),
        removed_at timestamptz
      )`);
    await runner.query('create index health_system_by_source on health_system (source) where removed_at is null');
    await runner.query(
      'create index health_system_by_name on health_system (sort_key, name, id) where removed_at is null',
    );
    await runner.query(`
      create table health_system_key (
        source text not null references source on delete restrict,
        key text not null,
        health_system_id bigint not null references health_system on delete cascade,
        primary key (source, key)
      )`);
    await runner.query('create index health_system_key_by_id on health_system_key (health_system_id)');
    await runner.query(`
      create table endpoint_check (
        address text primary key,
        due_at timestamptz not null default now(),
        claimed_until timestamptz,
        checked_at timestamptz,
        answered_at timestamptz,
        failures int not null default 0,
        problem text,
        fhir_version text,
        software text,
        smart text,
        capabilities jsonb
      )`);
    await runner.query('create index endpoint_check_by_due on endpoint_check (due_at)');
    await runner.query('create table registered_pattern (pattern text primary key)');
    await runner.query(
      'create table directory_version (the_one boolean primary key default true check (the_one), version bigint not null)',
    );
    await runner.query('insert into directory_version (version) values (1)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'drop table directory_version, registered_pattern, endpoint_check, health_system_key, health_system, source',
    );
  }
}

export const schema = 'search';

/** Migrates the schema to the current version. Replicas that start together do it one after the other. */
export function migrateSearchDatabase(database: DatabaseConfig | string): Promise<MigratedSchema> {
  return migrateDatabase({ database, schema, entities: [], migrations: [CreateSchema1763700000001] });
}
