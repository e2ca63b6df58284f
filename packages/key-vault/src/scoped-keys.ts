import { LRUCache } from 'lru-cache';
import { KEY_CHECK_SAMPLE, assertKekMatches } from './assert-kek-matches';
import { DataKey } from './data-key';
import type { KeyEncryptionKey } from './key-encryption-key';
import { type RewrapResult, type StoredKey, rewrapKeys } from './rewrap';

/** Runs one SQL statement and gives its rows; over TypeORM `(sql, values) => dataSource.query(sql, values)`. */
export type RunSql = (sql: string, values: unknown[]) => Promise<unknown>;

export interface ScopedKeysOptions {
  run: RunSql;
  kek: KeyEncryptionKey;
  /** The table made by `scopedKeysMigration`; may name its schema. Default `data_key`. */
  table?: string;
  /** How many unwrapped keys are kept in memory. Default 10,000. */
  cached?: number;
}

const PAGE = 500;

interface KeyRow {
  scope: string;
  wrapped: Buffer;
}

/**
 * One data key per scope ("client-123", "user-45"), made when first asked for and kept wrapped in a table of the service
 * that uses it. Forgetting a scope's key makes everything sealed under it unreadable.
 */
export class ScopedKeys {
  private readonly run: RunSql;
  private readonly kek: KeyEncryptionKey;
  private readonly table: string;
  private readonly cache: LRUCache<string, DataKey>;

  constructor({ run, kek, table = 'data_key', cached = 10_000 }: ScopedKeysOptions) {
    this.run = run;
    this.kek = kek;
    this.table = sqlName(table);
    // A key that is evicted while it is being fetched is still given to those who asked.
    this.cache = new LRUCache<string, DataKey>({
      max: cached,
      fetchMethod: (scope) => this.loadOrCreate(scope),
      ignoreFetchAbort: true,
    });
  }

  /**
   * Checks that the key-encryption key opens the stored keys. To be called before the first key is asked for.
   * @throws Error when there are keys and it opens none of them
   */
  async assertKekMatches(): Promise<void> {
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

  /** The key of the scope. All processes that ask get the same one, also when they ask at once for a new scope. */
  async keyFor(scope: string): Promise<DataKey> {
    return (await this.cache.fetch(scope)) as DataKey;
  }

  /** Deletes the key of the scope; backups of the table that are older still hold it. A later `keyFor` makes another key. */
  async destroy(scope: string): Promise<void> {
    await this.run(`DELETE FROM ${this.table} WHERE scope = $1`, [scope]);
    this.cache.delete(scope);
  }

  /**
   * After a rotation: wraps every key anew that an older version wrapped, also those that nobody asks for. The keys that the current version
   * has wrapped are not read: the work follows from what is left to do.
   */
  rewrapAll(): Promise<RewrapResult> {
    return rewrapKeys(
      this.kek,
      this.keysOfOtherVersions(),
      async ({ id, wrapped }, again) => (await this.replace(id, wrapped, again)).length > 0,
    );
  }

  /** The keys that are not known to be wrapped by the current version, in the order of the index. */
  private async *keysOfOtherVersions(): AsyncGenerator<StoredKey> {
    for (const side of ['<', '>']) {
      let after: readonly [string, string] = ['', ''];
      for (;;) {
        const rows = (await this.run(
          `SELECT scope, wrapped, kek_id FROM ${this.table} WHERE kek_id ${side} $1 AND (kek_id, scope) > ($2, $3) ORDER BY kek_id, scope LIMIT ${PAGE}`,
          [this.kek.id, ...after],
        )) as (KeyRow & { kek_id: string })[];
        await this.mark(rows.filter(({ wrapped }) => this.kek.isCurrent(wrapped)));
        for (const { scope, wrapped } of rows) yield { id: scope, wrapped, context: wrapContext(scope) };
        const last = rows.at(-1);
        if (!last || rows.length < PAGE) break;
        after = [last.kek_id, last.scope];
      }
    }
  }

  /** Notes which version has wrapped keys of which that was not known: they were stored before it was noted. */
  private async mark(rows: readonly KeyRow[]): Promise<void> {
    if (rows.length === 0) return;
    const sql = `UPDATE ${this.table} k SET kek_id = $1 FROM unnest($2::text[], $3::bytea[]) AS r (scope, wrapped) WHERE k.scope = r.scope AND k.wrapped = r.wrapped`;
    await this.run(sql, [this.kek.id, rows.map(({ scope }) => scope), rows.map(({ wrapped }) => wrapped)]);
  }

  private async loadOrCreate(scope: string): Promise<DataKey> {
    const found = await this.load(scope);
    if (found) return found;
    const wrapped = await this.kek.wrap(DataKey.generate().bytes(), wrapContext(scope));
    await this.run(
      `INSERT INTO ${this.table} (scope, wrapped, kek_id) VALUES ($1, $2, $3) ON CONFLICT (scope) DO NOTHING`,
      [scope, wrapped, this.kek.id],
    );
    // Read back: of two processes that made a key at once, one has won.
    return (await this.load(scope)) ?? this.loadOrCreate(scope);
  }

  private async load(scope: string): Promise<DataKey | undefined> {
    const [row] = (await this.run(`SELECT scope, wrapped FROM ${this.table} WHERE scope = $1`, [scope])) as KeyRow[];
    if (!row) return undefined;
    const bytes = await this.kek.unwrap(row.wrapped, wrapContext(scope));
    if (!this.kek.isCurrent(row.wrapped))
      await this.replace(scope, row.wrapped, await this.kek.wrap(bytes, wrapContext(scope)));
    return DataKey.fromBytes(bytes);
  }

  /** Only what was read is replaced: meanwhile the scope may have been forgotten and got another key. @returns a row if it was */
  private async replace(scope: string, wrapped: Buffer, again: Buffer): Promise<unknown[]> {
    const sql = `WITH r AS (UPDATE ${this.table} SET wrapped = $2, kek_id = $4 WHERE scope = $1 AND wrapped = $3 RETURNING 1) SELECT FROM r`;
    return (await this.run(sql, [scope, again, wrapped, this.kek.id])) as unknown[];
  }
}

function wrapContext(scope: string): string {
  return `scope ${scope}`;
}

/** Guards the one name that is put into SQL text. */
export function sqlName(name: string): string {
  if (!/^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/.test(name)) throw new RangeError(`not a plain SQL name: ${name}`);
  return name;
}
