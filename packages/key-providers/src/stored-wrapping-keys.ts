import { randomBytes } from 'node:crypto';
import { type RunSql, UnsealingError, WrappingKey, kekIdOf } from '@tributary/key-vault';
import type { Logger } from 'pino';
import type { FileKek } from './file-kek';
import { type KeyService, KeyServiceError } from './key-service';
import {
  type KekVersion,
  type ManagedKek,
  type RotationSteps,
  UnknownVersionError,
  UnusableVersionError,
} from './managed-kek';

/** A process wraps with what the table said at most this long ago, in milliseconds. */
const viewMs = 30_000;
/**
 * A wrapping key is retired at the earliest this long after its successor was made: by then no process wraps with it,
 * and every key that one wrapped with it is stored.
 */
const retireAfterMinutes = 10;

export interface StoredWrappingKeysOptions {
  run: RunSql;
  /** The table of `createWrappingKeys`, with its schema. */
  table: string;
  /** Keys of the key service, oldest first: the last one wraps. */
  services: readonly KeyService[];
  /** A key-encryption key in a file whose data keys still unwrap. */
  file: FileKek | undefined;
  log?: Pick<Logger, 'warn'> | undefined;
  /** Monotonic milliseconds. */
  now?(): number;
}

interface StoredRow {
  key_id: string;
  version: number;
  wrapped: Buffer;
  provider: string;
  provider_key: string;
  provider_version: string;
}

interface OpenedKey {
  readonly key: WrappingKey;
  readonly version: number;
}

/**
 * A key-encryption key whose versions are wrapping keys in a table, each wrapped by a key service. The service is
 * called when a wrapping key is first seen: a process that runs does not depend on it. The latest wrapping key wraps.
 * A process that meets a wrapping key that it does not know reads the table again, so a new one is used at once.
 */
export class StoredWrappingKeys implements ManagedKek {
  readonly #options: StoredWrappingKeysOptions;
  readonly #service: KeyService;
  readonly #now: () => number;
  #opened: ReadonlyMap<string, OpenedKey> = new Map();
  /** The id of the wrapping key that wraps. */
  #latest: string | undefined;
  /** Why a stored wrapping key could not be opened. */
  #failures: ReadonlyMap<string, Error> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: StoredWrappingKeysOptions) {
    const service = options.services.at(-1);
    if (!service) throw new RangeError('a key service is needed');
    this.#options = options;
    this.#service = service;
    this.#now = options.now ?? (() => performance.now());
  }

  /** @throws KeyServiceError; UnusableVersionError when the latest wrapping key cannot be opened */
  async currentId(): Promise<string> {
    return (await this.#current()).key.id;
  }

  /** @throws KeyServiceError; UnusableVersionError when the latest wrapping key cannot be opened */
  async wrap(plain: Buffer, context: string): Promise<Buffer> {
    return (await this.#current()).key.wrap(plain, context);
  }

  /**
   * @throws UnsealingError; KeyServiceError when the wrapping key is not known yet and the key service does not respond
   */
  async unwrap(wrapped: Buffer, context: string): Promise<Buffer> {
    const id = kekIdOf(wrapped);
    const known = this.#opened.get(id);
    if (known) return known.key.unwrap(wrapped, context);
    const { file } = this.#options;
    if (file?.has(id)) return file.unwrap(wrapped, context);
    await this.#readAgain();
    const opened = this.#opened.get(id);
    if (opened) return opened.key.unwrap(wrapped, context);
    throw this.#failures.get(id) ?? new UnsealingError('wrapped by a key-encryption key that is not known');
  }

  /** Keys of the file are due, as every wrapping key is later than they are. */
  async isDue(wrapped: Buffer): Promise<boolean> {
    const { version } = await this.#current();
    return (this.#opened.get(kekIdOf(wrapped))?.version ?? 0) < version;
  }

  async versions(): Promise<KekVersion[]> {
    const fromFile = (await this.#options.file?.versions()) ?? [];
    const rows = (await this.#run(
      `SELECT key_id, provider, provider_key, provider_version, retired_at IS NOT NULL AS is_retired FROM ${this.#options.table} ORDER BY version`,
    )) as (Omit<StoredRow, 'wrapped' | 'version'> & { is_retired: boolean })[];
    const current = rows.some((row) => !row.is_retired) ? await this.currentId() : undefined;
    return [
      ...fromFile.map(({ id, origin }) => ({ id, origin, state: 'accepted' as const })),
      ...rows.map((row) => ({
        id: row.key_id,
        origin: `wrapped by ${row.provider}, key ${row.provider_key}, version ${row.provider_version}`,
        state: row.is_retired
          ? ('retired' as const)
          : row.key_id === current
            ? ('current' as const)
            : ('accepted' as const),
      })),
    ];
  }

  /**
   * Makes a new wrapping key, and wraps the others by the current version of the key service's key. One that cannot be
   * opened stays as it is.
   */
  async rotate(isContinued: boolean): Promise<RotationSteps> {
    const [done, failed]: [string[], string[]] = [[], []];
    if (!isContinued) {
      await this.#create();
      done.push(`the wrapping key ${await this.currentId()} is new and wraps from now on`);
    }
    const version = await this.#service.currentVersion();
    for (const row of await this.#rows()) {
      const { provider, key } = this.#service;
      if (row.provider === provider && row.provider_key === key && row.provider_version === version) continue;
      try {
        const by = await this.#rewrap(row);
        done.push(`the wrapping key ${row.key_id} is wrapped by version ${by} of ${key}`);
      } catch (error) {
        if (!isOpeningFailure(error)) throw error;
        failed.push(`the wrapping key ${row.key_id} cannot be opened, and stays as it is: ${error.message}`);
      }
    }
    return { done, failed };
  }

  /** @returns the version of the key service's key that wraps it now. @throws KeyServiceError, UnsealingError */
  async #rewrap(row: StoredRow): Promise<string> {
    const { provider, key } = this.#service;
    const again = await this.#service.wrap(await this.#open(row), this.#context(row.key_id));
    await this.#run(
      `UPDATE ${this.#options.table} SET wrapped = $2, provider = $3, provider_key = $4, provider_version = $5 WHERE key_id = $1 AND wrapped = $6`,
      [row.key_id, again.wrapped, provider, key, again.version, row.wrapped],
    );
    return again.version;
  }

  async retire(id: string): Promise<string> {
    const { table, file } = this.#options;
    if (file && (await file.versions()).some((version) => version.id === id))
      return `the key ${id} of the key file has wrapped no stored key: remove its line, or KEY_ENCRYPTION_KEY_FILE when it is the last one, and keep it with the backups from before the change`;
    const [row] = (await this.#run(
      `SELECT retired_at IS NOT NULL AS is_retired, (SELECT max(version) FROM ${table}) = version AS is_latest,
        EXISTS (SELECT FROM ${table} l WHERE l.version > w.version AND l.created_at < now() - interval '${retireAfterMinutes} minutes') AS is_superseded
      FROM ${table} w WHERE key_id = $1`,
      [id],
    )) as { is_retired: boolean; is_latest: boolean; is_superseded: boolean }[];
    if (!row) throw new UnknownVersionError(`there is no wrapping key ${id}`);
    if (row.is_retired) return `the wrapping key ${id} is retired`;
    if (row.is_latest) throw new Error(`the wrapping key ${id} wraps: rotate first`);
    if (!row.is_superseded)
      throw new Error(
        `the successor of the wrapping key ${id} is less than ${retireAfterMinutes} minutes old, so a process may still store a key that ${id} has wrapped: run this command again later`,
      );
    await this.#run(`UPDATE ${table} SET wrapped = NULL, retired_at = now() WHERE key_id = $1`, [id]);
    return `the wrapping key ${id} is retired and its bytes are deleted; the backups from before still contain it`;
  }

  /**
   * The latest wrapping key. An earlier one never takes its place: it may be retired at any time, and what it wraps
   * then would be lost. One that cannot be opened is tried again when the table is: keys that exist do not wait for the
   * key service each time they are read.
   */
  async #current(): Promise<OpenedKey> {
    if (this.#now() - this.#readAt > viewMs) await this.#read();
    if (this.#latest === undefined) await this.#create();
    const id = this.#latest ?? '';
    const opened = this.#opened.get(id);
    if (opened) return opened;
    const failure = this.#failures.get(id);
    if (failure instanceof KeyServiceError) throw failure;
    throw new UnusableVersionError(
      `the wrapping key ${id} in ${this.#options.table} cannot be opened, and nothing is wrapped until keys rotate --new makes another: ${failure?.message ?? 'it is gone'}`,
    );
  }

  /** Stores a new wrapping key, unless another process does so at the same time; then its wrapping key is used. */
  async #create(): Promise<void> {
    const bytes = randomBytes(32);
    const { id } = new WrappingKey(bytes);
    // Called first: a key that does not exist must not be made on the fly.
    await this.#service.currentVersion();
    const stored = await this.#service.wrap(bytes, this.#context(id));
    if (!(await this.#service.unwrap(stored, this.#context(id))).equals(bytes))
      throw new KeyServiceError(this.#service, 'it unwraps to other bytes than it has wrapped');
    await this.#run(
      `INSERT INTO ${this.#options.table} (key_id, version, wrapped, provider, provider_key, provider_version)
      SELECT $1::text, coalesce(max(version), 0) + 1, $2::bytea, $3::text, $4::text, $5::text FROM ${this.#options.table} ON CONFLICT (version) DO NOTHING`,
      [id, stored.wrapped, this.#service.provider, this.#service.key, stored.version],
    );
    await this.#readAgain();
  }

  /** Reads the table, and opens the wrapping keys that are not known yet. Concurrent calls share one run. */
  #read(): Promise<void> {
    this.#reading ??= this.#readRows().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Like `#read`, but sees what was stored before the call: a run in progress may have begun earlier. */
  async #readAgain(): Promise<void> {
    await this.#reading?.catch(() => undefined);
    await this.#read();
  }

  async #readRows(): Promise<void> {
    const readAt = this.#now();
    const rows = await this.#rows();
    const opened = new Map<string, OpenedKey>();
    const failures = new Map<string, Error>();
    for (const row of rows) {
      try {
        const key = this.#opened.get(row.key_id)?.key ?? new WrappingKey(await this.#open(row));
        opened.set(row.key_id, { key, version: row.version });
      } catch (error) {
        if (!isOpeningFailure(error)) throw error;
        failures.set(row.key_id, error);
        if (!this.#failures.has(row.key_id))
          this.#options.log?.warn({ key_id: row.key_id, reason: error.message }, 'a wrapping key cannot be opened');
      }
    }
    [this.#opened, this.#failures, this.#readAt] = [opened, failures, readAt];
    this.#latest = rows.at(-1)?.key_id;
  }

  async #rows(): Promise<StoredRow[]> {
    return (await this.#run(
      `SELECT key_id, version, wrapped, provider, provider_key, provider_version FROM ${this.#options.table} WHERE retired_at IS NULL ORDER BY version`,
    )) as StoredRow[];
  }

  /** Only configured keys are used: otherwise whoever can write the table could name a key of their own. */
  async #open({
    key_id: id,
    provider,
    provider_key: key,
    wrapped,
    provider_version: version,
  }: StoredRow): Promise<Buffer> {
    const service = this.#options.services.find((each) => each.provider === provider && each.key === key);
    if (!service)
      throw new UnsealingError(
        `wrapped by ${provider} with the key ${key}, which is not among KEY_PROVIDER and KEY_PROVIDER_KEY`,
      );
    const bytes = await service.unwrap({ wrapped, version }, this.#context(id));
    if (bytes.length !== 32 || new WrappingKey(bytes).id !== id) throw new UnsealingError();
    return bytes;
  }

  #context(id: string): string {
    return `wrapping key ${this.#options.table}.${id}`;
  }

  #run(sql: string, values: unknown[] = []): Promise<unknown> {
    return this.#options.run(sql, values);
  }
}

function isOpeningFailure(error: unknown): error is Error {
  return error instanceof KeyServiceError || error instanceof UnsealingError;
}
