import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The developer who reads by the tokens of a family, for the audit log. NULL: the client does. */
export class AddDeveloperOfTokens1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_family ADD COLUMN developer text');
    await runner.query(
      "COMMENT ON COLUMN token_family.developer IS 'who exchanged the code by a temporary secret of the client; NULL: the client'",
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE token_family DROP COLUMN developer');
  }
}
