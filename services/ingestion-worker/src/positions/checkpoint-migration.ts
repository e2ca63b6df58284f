import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Checkpoints live only while their collection is under way, sealed under a key of their own; a completed collection keeps the
 * list of its whole types. Those under way when this runs begin anew: their cursors were sealed under a key shared by all.
 */
export class Checkpoints1790000000004 implements MigrationInterface {
  name = 'Checkpoints1790000000004';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table collection
        add column fence integer not null default 0,
        add column failed_attempts integer not null default 0,
        add column unfinished_starts integer not null default 0,
        add column isolated_crashes integer not null default 0,
        add column is_isolated boolean not null default false,
        add column whole_types text[] not null default '{}',
        add column check_at timestamptz not null default now();
      update collection c set whole_types = w.types
        from (select collection_id, array_agg(type order by type) as types from position where is_whole group by collection_id) w
        where w.collection_id = c.collection_id and c.completed_at is not null;
      truncate position;
      delete from data_key where scope = 'positions';
      create index collection_by_check on collection (check_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index collection_by_check;
      alter table collection
        drop column fence, drop column failed_attempts, drop column unfinished_starts, drop column isolated_crashes,
        drop column is_isolated, drop column whole_types, drop column check_at`);
  }
}
