import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The row of a family holds its one current refresh token, so that nothing is kept of those before. Refresh tokens of the schema before, which lie in
 * `refresh_token`, stay valid; none is added there. Beside that: revocations that have been committed and not been published yet.
 */
export class RefreshRotation1763760000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE token_family
      ADD COLUMN handle_sha256 bytea,
      ADD COLUMN refresh_sha256 bytea,
      ADD COLUMN previous_refresh_sha256 bytea,
      ADD COLUMN rotated_at timestamptz,
      ADD COLUMN unused_access_sha256 bytea`);
    for (const [column, meaning] of [
      ['handle_sha256', 'of the part that all refresh tokens of the family begin with'],
      [
        'refresh_sha256',
        'of the current refresh token; NULL before the first, and while the current one lies in refresh_token',
      ],
      ['previous_refresh_sha256', 'of the refresh token that the current one replaced'],
      ['rotated_at', 'when the previous refresh token was replaced for the first time'],
      [
        'unused_access_sha256',
        'of the access token issued with the current refresh token, until one of the two is used; NULL after that, and when there is no previous one',
      ],
    ]) {
      await runner.query(`COMMENT ON COLUMN token_family.${column} IS '${meaning}'`);
    }
    await runner.query('CREATE UNIQUE INDEX token_family_handle ON token_family (handle_sha256)');
    await runner.query(`CREATE TABLE revocation_outbox (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      message jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp()
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE revocation_outbox');
    await runner.query(`ALTER TABLE token_family
      DROP COLUMN handle_sha256, DROP COLUMN refresh_sha256, DROP COLUMN previous_refresh_sha256, DROP COLUMN rotated_at, DROP COLUMN unused_access_sha256`);
  }
}
