import type { HealthSystem } from '@tributary/contracts';
import { type ApiOptions, type PeriodicTask, describeError, unavailable } from '@tributary/service-kit';
import type { Pool } from 'pg';
import { follow } from './follow';
import { selectDirectoryVersion } from './read-directory';
import { Snapshot } from './snapshot';

/** The number of entries that one line of the log names. */
const loggedFailures = 20;

export interface DirectoryOptions {
  pool: Pool;
  /** Runs the migrations that are due; called until it succeeds once. */
  migrate: () => Promise<unknown>;
  log: ApiOptions['log'];
  /** Interval of polling for changes, in milliseconds. Default: 250. */
  pollMs?: number;
}

/**
 * The directory in memory: a snapshot that is replaced as a whole when a load is committed. Searches do not use the
 * database, and continue while it is down. Every replica holds the whole directory, and two snapshots while it reads a
 * new one; that suits about 100,000 entries.
 */
export class Directory {
  #snapshot: Snapshot | undefined;
  #migrated = false;
  #refreshing: Promise<void> | undefined;
  #following: PeriodicTask | undefined;

  constructor(private readonly options: DirectoryOptions) {}

  /** Starts following the changes of the directory. */
  start(): void {
    const { pollMs: intervalMs = 250, log } = this.options;
    this.#following = follow({ what: 'the directory', intervalMs, read: () => this.refresh(), loggedFailures: 1, log });
  }

  async stop(): Promise<void> {
    await this.#following?.stop();
    await this.#refreshing?.catch(() => undefined);
  }

  /** @throws Error until the directory has been read once */
  async ready(): Promise<void> {
    if (!this.#snapshot) throw new Error('the directory has not been read yet');
  }

  /** @throws HttpError 503 until the directory has been read once */
  get snapshot(): Snapshot {
    if (!this.#snapshot) throw unavailable('the directory is not available yet; try again shortly');
    return this.#snapshot;
  }

  /**
   * Returns a health system by its id. An unknown id refreshes the snapshot first, because it may have been loaded a
   * moment ago.
   * @throws HttpError 503 until the directory has been read once
   */
  async find(id: number): Promise<HealthSystem | undefined> {
    const known = this.#snapshot?.find(id);
    if (known) return known;
    await this.refresh().catch(() => undefined);
    return this.snapshot.find(id);
  }

  /** Reads the directory again if its version has changed; concurrent calls share one read. */
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
    this.#logFailures(this.#snapshot.failures);
  }

  /** One entry that cannot be indexed must not keep the others from being found. */
  #logFailures(failures: Snapshot['failures']): void {
    const [first] = failures.values();
    if (failures.size > 0)
      this.options.log.warn(
        { count: failures.size, ids: [...failures.keys()].slice(0, loggedFailures), err: describeError(first) },
        'health systems cannot be indexed, and no search finds them',
      );
  }
}
