import { setTimeout as wait } from 'node:timers/promises';
import type { RegistrationsClient } from '@tributary/contracts';
import { type ApiOptions, describeError } from '@tributary/service-kit';
import type { Pool } from 'pg';
import { bumpVersion } from '../loading/apply-statements';

export interface RegistrationsFollowerOptions {
  pool: Pool;
  registrations: Pick<RegistrationsClient, 'patterns'>;
  log: ApiOptions['log'];
  /** Interval of polling, in milliseconds. Default: 5000. */
  pollMs?: number;
}

/** The number of consecutive failures after which one is logged: user-management may start later than this service. */
const loggedFailures = 6;

/**
 * Copies the patterns of registrations from user-management into the database of search, so that searches need neither
 * a call nor user-management, and all replicas rank alike. A change is a new version of the directory.
 */
export class RegistrationsFollower {
  readonly #stopping = new AbortController();
  #following: Promise<void> | undefined;
  #failures = 0;

  constructor(private readonly options: RegistrationsFollowerOptions) {}

  start(): void {
    this.#following ??= this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
  }

  /**
   * Copies the patterns once. The lock is held during the request to user-management: otherwise a slow replica could
   * replace new patterns with those that it read before.
   * @returns whether they changed; false also when another replica copies them at the moment
   */
  async copy(): Promise<boolean> {
    const client = await this.options.pool.connect();
    let failure: Error | undefined;
    try {
      await client.query('begin');
      const { rows } = await client.query<{ locked: boolean }>(
        `select pg_try_advisory_xact_lock(hashtextextended('copy the registered patterns', 0)) as locked`,
      );
      const patterns = rows[0]!.locked ? await this.options.registrations.patterns() : undefined;
      const changed = patterns !== undefined && (await replacePatterns(client, patterns));
      await client.query('commit');
      return changed;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw failure;
    } finally {
      // Closing the connection of a failed transaction rolls it back.
      client.release(failure);
    }
  }

  async #follow(): Promise<void> {
    const { log, pollMs = 5000 } = this.options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        if (await this.copy()) log.info('the registrations at health systems have changed');
        if (this.#failures >= loggedFailures) log.info('the registrations at health systems can be read again');
        this.#failures = 0;
      } catch (error) {
        if (++this.#failures === loggedFailures)
          log.warn(
            { err: describeError(error) },
            'the registrations at health systems cannot be read; the last ones stay',
          );
      }
      await wait(pollMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function replacePatterns(
  client: { query: (text: string, values?: unknown[]) => Promise<{ rowCount: number | null }> },
  patterns: string[],
): Promise<boolean> {
  const removed = await client.query('delete from registered_pattern where pattern <> all($1::text[])', [patterns]);
  const added = await client.query(
    'insert into registered_pattern (pattern) select unnest($1::text[]) on conflict do nothing',
    [patterns],
  );
  const changed = (removed.rowCount ?? 0) + (added.rowCount ?? 0) > 0;
  if (changed) await client.query(bumpVersion);
  return changed;
}
