import type { LRUCache } from 'lru-cache';
import { KEY_CHECK_SAMPLE, assertKekMatches } from './assert-kek-matches';
import { CheckedKek } from './checked-kek';
import { DataKey } from './data-key';
import { keyCache } from './key-cache';
import type { KeyEncryptionKey } from './key-encryption-key';
import { type RewrapResult, type StoredKey, rewrapKeys } from './rewrap';
import { kekIdOf } from './wrapping-key';

/** Runs one SQL statement and returns its rows; with TypeORM `(sql, values) => dataSource.query(sql, values)`. */
export type RunSql = (sql: string, values: unknown[]) => Promise<unknown>;

export interface ScopedKeysOptions {
  run: RunSql;
  kek: KeyEncryptionKey;
  /** The table of `createScopedKeys`, optionally with its schema; `data_key` by default. */
  table?: string;
  /** The maximum number of unwrapped keys in memory; 10,000 by default. */
  cached?: number;
}

const PAGE = 500;

interface KeyRow {
  scope: string;
  wrapped: Buffer;
}

/**
 * One data key per scope, such as `client-123` or `user-45`. A key is created on first use and stored wrapped in a
 * table of the service. Destroying the key of a scope makes everything that is sealed under it unreadable
 * (crypto-shredding).
 */
export class ScopedKeys {
  private readonly run: RunSql;
  private readonly kek: KeyEncryptionKey;
  private readonly table: string;
  private readonly cache: LRUCache<string, DataKey>;
  private readonly checkedKek: CheckedKek;

  constructor({ run, kek, table = 'data_key', cached = 10_000 }: ScopedKeysOptions) {
    this.run = run;
    this.kek = kek;
    this.table = sqlName(table);
    this.checkedKek = new CheckedKek(kek, { check: () => this.checkKeys(), hasVersion: (id) => this.hasVersion(id) });
    this.cache = keyCache({ max: cached, load: (scope) => this.loadOrCreate(scope) });
  }

  /**
   * Checks that the key-encryption key unwraps the stored keys, and that it can wrap. A service calls it when it
   * starts; a key is created only after the check has passed with the current version, as a key file can be replaced by
   * a wrong one while the process runs.
   * @throws Error when there are keys and it unwraps none of them
   */
  async assertKekMatches(): Promise<void> {
    await this.checkedKek.version();
  }

  private async checkKeys(): Promise<void> {
    const rows = (await this.run(
      `SELECT scope, wrapped FROM ${this.table} ORDER BY scope LIMIT ${KEY_CHECK_SAMPLE}`,
      [],
    )) as KeyRow[];
    await assertKekMatches(
      this.kek,
      rows.map(({ scope, wrapped }) => ({ wrapped, context: wrapContext(scope) })),
      this.table,
    );
  }

  private async hasVersion(id: string): Promise<boolean> {
    const sql = `SELECT FROM ${this.table} WHERE kek_id = $1 LIMIT 1`;
    return ((await this.run(sql, [id])) as unknown[]).length > 0;
  }

  /**
   * The key of the scope; it is created if there is none. Concurrent calls in all processes get the same key.
   * @throws UnsealingError when no known version of the key-encryption key unwraps it; Error when it would be created,
   *   and the key-encryption key unwraps none of the stored keys
   */
  async keyFor(scope: string): Promise<DataKey> {
    return (await this.cache.fetch(scope)) as DataKey;
  }

  /**
   * Deletes the key of the scope. Older backups of the table still contain it. A later `keyFor` creates a different
   * key.
   */
  async destroy(scope: string): Promise<void> {
    await this.run(`DELETE FROM ${this.table} WHERE scope = $1`, [scope]);
    this.cache.delete(scope);
  }

  /**
   * Rewraps all keys that an older version of the key-encryption key has wrapped, after a rotation. Keys of the current
   * version are not read.
   * @param onKey is called after each key that was due
   */
  async rewrapAll(onKey?: () => void): Promise<RewrapResult> {
    await this.checkedKek.useStored();
    return rewrapKeys(
      this.kek,
      this.keysOfOtherVersions(),
      async ({ id, wrapped }, rewrapped) => (await this.replace(id, wrapped, rewrapped)).length > 0,
      onKey,
    );
  }

  /**
   * The number of keys by the id of the version that wrapped them; '' where the version is not noted yet. Reads the
   * whole index.
   */
  async countByVersion(): Promise<Map<string, number>> {
    const sql = `SELECT kek_id, count(*) AS keys FROM ${this.table} GROUP BY kek_id`;
    const rows = (await this.run(sql, [])) as { kek_id: string; keys: string }[];
    return new Map(rows.map(({ kek_id, keys }) => [kek_id, Number(keys)]));
  }

  /** The keys whose row does not name the current version, in index order. */
  private async *keysOfOtherVersions(): AsyncGenerator<StoredKey> {
    for (const side of ['<', '>']) {
      let after: readonly [string, string] = ['', ''];
      for (;;) {
        const current = await this.kek.currentId();
        const rows = (await this.run(
          `SELECT scope, wrapped, kek_id FROM ${this.table} WHERE kek_id ${side} $1 AND (kek_id, scope) > ($2, $3) ORDER BY kek_id, scope LIMIT ${PAGE}`,
          [current, ...after],
        )) as (KeyRow & { kek_id: string })[];
        await this.mark(
          rows.filter(({ wrapped }) => kekIdOf(wrapped) === current),
          current,
        );
        for (const { scope, wrapped } of rows) yield { id: scope, wrapped, context: wrapContext(scope) };
        const last = rows.at(-1);
        if (!last || rows.length < PAGE) break;
        after = [last.kek_id, last.scope];
      }
    }
  }

  /** Stores the current version in rows that were created before the column existed. */
  private async mark(rows: readonly KeyRow[], current: string): Promise<void> {
    if (rows.length === 0) return;
    const sql = `UPDATE ${this.table} k SET kek_id = $1 FROM unnest($2::text[], $3::bytea[]) AS r (scope, wrapped) WHERE k.scope = r.scope AND k.wrapped = r.wrapped`;
    await this.run(sql, [current, rows.map(({ scope }) => scope), rows.map(({ wrapped }) => wrapped)]);
  }

  private async loadOrCreate(scope: string): Promise<DataKey> {
    const found = await this.load(scope);
    if (found) return found;
    const wrapped = await this.checkedKek.wrap(DataKey.generate().bytes(), wrapContext(scope));
    await this.run(
      `INSERT INTO ${this.table} (scope, wrapped, kek_id) VALUES ($1, $2, $3) ON CONFLICT (scope) DO NOTHING`,
      [scope, wrapped, kekIdOf(wrapped)],
    );
    // Read back, because another process may have inserted its key first.
    return (await this.load(scope)) ?? this.loadOrCreate(scope);
  }

  private async load(scope: string): Promise<DataKey | undefined> {
    const [row] = (await this.run(`SELECT scope, wrapped FROM ${this.table} WHERE scope = $1`, [scope])) as KeyRow[];
    if (!row) return undefined;
    const bytes = await this.kek.unwrap(row.wrapped, wrapContext(scope));
    await this.rewrapIfDue(row, bytes).catch(() => undefined);
    return DataKey.fromBytes(bytes);
  }

  /**
   * A key that cannot be rewrapped now, as while the key service is unavailable, is used as it is; `rewrapAll` reports
   * the reason.
   */
  private async rewrapIfDue({ scope, wrapped }: KeyRow, bytes: Buffer): Promise<void> {
    if (!(await this.kek.isDue(wrapped))) return;
    await this.replace(scope, wrapped, await this.checkedKek.wrap(bytes, wrapContext(scope)));
  }

  /**
   * Replaces the wrapped key only if it is unchanged: the scope may have been destroyed and created again.
   * @returns one row if it was replaced
   */
  private async replace(scope: string, wrapped: Buffer, rewrapped: Buffer): Promise<unknown[]> {
    const sql = `WITH r AS (UPDATE ${this.table} SET wrapped = $2, kek_id = $4 WHERE scope = $1 AND wrapped = $3 RETURNING 1) SELECT FROM r`;
    return (await this.run(sql, [scope, rewrapped, wrapped, kekIdOf(rewrapped)])) as unknown[];
  }
}

function wrapContext(scope: string): string {
  return `scope ${scope}`;
}

/** Checks a name that is inserted into SQL text. @throws RangeError */
export function sqlName(name: string): string {
  if (!/^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/.test(name)) throw new RangeError(`not a plain SQL name: ${name}`);
  return name;
}
