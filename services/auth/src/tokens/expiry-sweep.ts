import { describeError } from '@tributary/service-kit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

const everyMs = 60_000;
const batch = 2000;

/**
 * One replica sweeps at a time: the others find the lock taken and leave the sweep to it. Small batches, so that no statement holds many locks or runs
 * for long. An expired access token goes before its family; a family goes with all that is left of it.
 */
const statements = [
  { table: 'access_token', key: 'token_sha256' },
  { table: 'refresh_token', key: 'token_sha256' },
  { table: 'token_family', key: 'id' },
  { table: 'system_access_token', key: 'token_sha256' },
  { table: 'spent_assertion', key: 'client_id, jti_sha256' },
].map(
  ({ table, key }) => `
  WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtextextended('auth expiry sweep', 0)) AS held)
  DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key} FROM ${table} WHERE expires_at < now() AND (SELECT held FROM turn) ORDER BY expires_at LIMIT ${batch} FOR UPDATE SKIP LOCKED)`,
);

/** Removes expired codes, tokens and assertions in the background. Nothing depends on it but the size of the tables: expired rows never work. */
export class ExpirySweep {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(
    private readonly pool: Pool,
    private readonly log: Logger,
  ) {}

  /** Sweeps now and then every minute, so that little has to be removed at a time. */
  start(): void {
    this.#timer = setInterval(() => this.#sweepQuietly(), everyMs);
    this.#timer.unref();
    this.#sweepQuietly();
  }

  /** Ends after the batch under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Removes all that has expired, or leaves the rest to another replica that is at it. */
  async sweep(): Promise<void> {
    for (const statement of statements) {
      let removed = batch;
      while (removed === batch && !this.#stopped) removed = (await this.pool.query(statement)).rowCount ?? 0;
    }
  }

  #sweepQuietly(): void {
    this.#running = this.#running
      .then(() => this.sweep())
      .catch((error: unknown) =>
        this.log.warn({ err: describeError(error) }, 'expired tokens could not be removed; the next sweep tries again'),
      );
  }
}
