import { scopedKeysKekMigration, scopedKeysMigration } from '@tributary/key-vault';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Checkpoints1790000000004 } from './checkpoint-migration';

class Positions1790000000001 implements MigrationInterface {
  name = 'Positions1790000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table collection (
        collection_id uuid primary key,
        connection_id uuid not null,
        started_at timestamptz not null,
        completed_at timestamptz
      );
      create index collection_by_connection on collection (connection_id, completed_at desc);
      create table position (
        collection_id uuid not null references collection on delete cascade,
        type text not null,
        cursor bytea not null,
        progress jsonb not null,
        primary key (collection_id, type)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table position; drop table collection');
  }
}

class WholeTypes1790000000002 implements MigrationInterface {
  name = 'WholeTypes1790000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table position add column is_whole boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table position drop column is_whole');
  }
}

export const migrations = [
  scopedKeysMigration(1790000000000),
  Positions1790000000001,
  WholeTypes1790000000002,
  scopedKeysKekMigration(1790000000003),
  Checkpoints1790000000004,
];
