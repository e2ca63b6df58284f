import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the connect pages of a client show, and where. NULL: no logo, and no page may show them in a frame. */
export class AddPageSettings1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE client_application ADD COLUMN logo text, ADD COLUMN frame_origins text[]');
    await runner.query("COMMENT ON COLUMN client_application.logo IS 'image as a data: URL'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE client_application DROP COLUMN logo, DROP COLUMN frame_origins');
  }
}
