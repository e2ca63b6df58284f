import { setTimeout as wait } from 'node:timers/promises';
import type { HealthSystem, HealthSystemEntry } from '@tributary/contracts';
import { type ApiOptions, describeError, unavailable } from '@tributary/service-kit';
import type { Pool } from 'pg';
import { ChangeListener } from './change-listener';
import { selectDirectoryVersion } from './read-directory';
import { Snapshot } from './snapshot';

export interface DirectoryOptions {
  pool: Pool;
  /** Brings the schema up to date; called until it succeeds once. */
  migrate: () => Promise<void>;
  log: ApiOptions['log'];
  /** How often the database is asked for changes of which nothing was heard. */
  pollMs?: number;
  /** False where notifications do not arrive, as through a connection pooler; then changes are found by asking. Default: true. */
  listens?: boolean;
}

/**
 * The directory as this process knows it: a snapshot in memory, replaced as a whole as soon as a load is committed. The database is only
 * asked for its version; while it is away, searches go on with what is known. Every replica holds the whole directory, and for the time of a load two
 * of them: that suits the hundred thousand entries that there are.
 */
export class Directory {
  #snapshot: Snapshot | undefined;
  #migrated = false;
  #refreshing: Promise<void> | undefined;
  #failing = false;
  readonly #stopping = new AbortController();
  readonly #changes: ChangeListener;
  #changed = new AbortController();
  #following: Promise<void> | undefined;

  constructor(private readonly options: DirectoryOptions) {
    this.#changes = new ChangeListener(options.pool, () => this.#changed.abort());
  }

  /** Follows the database from now on. */
  start(): void {
    this.#following ??= this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
    await this.#refreshing?.catch(() => undefined);
    this.#changes.stop();
  }

  /** Rejects until the directory has been read once. */
  async ready(): Promise<void> {
    if (!this.#snapshot) throw new Error('the directory has not been read yet');
  }

  /** @throws HttpError 503 until the directory has been read once */
  search(query: string | undefined, offset: number, limit: number): { total: number; entry: HealthSystemEntry[] } {
    if (!this.#snapshot) throw unavailable('the directory is not available yet; try again shortly');
    return this.#snapshot.search(query, offset, limit);
  }

  /** A health system by its id; one that is not known is looked for in the database, because it may have been loaded a moment ago. */
  async find(id: number): Promise<HealthSystem | undefined> {
    const known = this.#snapshot?.find(id);
    if (known) return known;
    await this.refresh().catch(() => undefined);
    if (!this.#snapshot) throw unavailable('the directory is not available yet; try again shortly');
    return this.#snapshot.find(id);
  }

  /** Reads the directory again if it has changed; calls at the same time share the work. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    const { pool, migrate, log } = this.options;
    if (!this.#migrated) await migrate();
    this.#migrated = true;
    if (this.#snapshot && (await selectDirectoryVersion(pool)) === this.#snapshot.version) return;
    const began = performance.now();
    this.#snapshot = await Snapshot.read(pool);
    log.info(
      {
        version: this.#snapshot.version,
        healthSystems: this.#snapshot.size,
        ms: Math.round(performance.now() - began),
      },
      'the directory was read',
    );
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#changed = new AbortController();
      try {
        if (this.options.listens !== false) await this.#changes.listen();
        await this.refresh();
        if (this.#failing) this.options.log.info('the directory can be read again');
        this.#failing = false;
      } catch (error) {
        if (!this.#failing)
          this.options.log.warn(
            { err: describeError(error) },
            'the directory cannot be read; trying again every second',
          );
        this.#failing = true;
      }
      await wait(this.options.pollMs ?? 1000, undefined, {
        signal: AbortSignal.any([signal, this.#changed.signal]),
      }).catch(() => undefined);
    }
  }
}
