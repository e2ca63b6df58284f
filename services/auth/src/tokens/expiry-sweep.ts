import { describeError } from '@tributary/service-kit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

const intervalMs = 60_000;
const batchSize = 2000;

/**
 * One replica sweeps at a time: the advisory lock makes the statements of the others delete nothing. Batches are small, so that no statement holds many
 * row locks or runs for long. Expired access tokens are deleted before their families, which cascade to the rest.
 */
const statements = [
  { table: 'access_token', key: 'token_sha256' },
  { table: 'token_family', key: 'id' },
  { table: 'system_access_token', key: 'token_sha256' },
  { table: 'used_assertion', key: 'client_id, jti_sha256' },
].map(
  ({ table, key }) => `
  WITH sweep_lock AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtextextended('auth expiry sweep', 0)) AS held)
  DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key} FROM ${table} WHERE expires_at < now() AND (SELECT held FROM sweep_lock) ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
);

/** Deletes expired codes, tokens and used assertions in the background. It only bounds the size of the tables: every statement checks the expiry itself. */
export class ExpirySweep {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(
    private readonly pool: Pool,
    private readonly log: Logger,
  ) {}

  /** Sweeps at once, and then every minute. */
  start(): void {
    this.#timer = setInterval(() => this.#sweepInBackground(), intervalMs);
    this.#timer.unref();
    this.#sweepInBackground();
  }

  /** Resolves after the current batch. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Deletes all expired rows, unless another replica is sweeping. */
  async sweep(): Promise<void> {
    for (const statement of statements) {
      let removed = batchSize;
      while (removed === batchSize && !this.#stopped) removed = (await this.pool.query(statement)).rowCount ?? 0;
    }
  }

  #sweepInBackground(): void {
    this.#running = this.#running
      .then(() => this.sweep())
      .catch((error: unknown) =>
        this.log.warn({ err: describeError(error) }, 'expired rows could not be deleted; the next sweep tries again'),
      );
  }
}
