import { createScopedKeys, createWrappingKeys } from '@tributary/key-vault';
import type { MigrationInterface, QueryRunner } from 'typeorm';

class CreateSchema1790000000000 implements MigrationInterface {
  name = 'CreateSchema1790000000000';

  async up(runner: QueryRunner): Promise<void> {
    await createScopedKeys(runner);
    await createWrappingKeys(runner);
    await runner.query(`
      create table collection (
        collection_id uuid primary key,
        connection_id uuid not null,
        started_at timestamptz not null,
        completed_at timestamptz,
        fence integer not null default 0,
        failed_attempts integer not null default 0,
        unfinished_attempts integer not null default 0,
        isolated_crashes integer not null default 0,
        is_isolated boolean not null default false,
        complete_types text[] not null default '{}',
        reads_with_gap integer not null default 0,
        reread_at timestamptz,
        next_check_at timestamptz not null default now()
      );
      create index collection_by_connection on collection (connection_id, completed_at desc);
      create index collection_by_next_check on collection (next_check_at);
      create table collection_checkpoint (
        collection_id uuid not null references collection on delete cascade,
        type text not null,
        checkpoint bytea not null,
        progress jsonb not null,
        is_complete boolean not null,
        primary key (collection_id, type)
      );
      create table returned_resources (
        collection_id uuid not null references collection on delete cascade,
        type text not null,
        ids uuid[] not null
      );
      create index returned_resources_by_collection on returned_resources (collection_id, type);
      create table full_search (
        connection_id uuid not null,
        type text not null,
        full_at timestamptz not null,
        verified_to uuid,
        primary key (connection_id, type)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'drop table full_search, returned_resources, collection_checkpoint, collection, wrapping_key, data_key',
    );
  }
}

export const migrations = [CreateSchema1790000000000];
