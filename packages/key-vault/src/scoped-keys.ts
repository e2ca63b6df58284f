import { LRUCache } from 'lru-cache';
import { DataKey } from './data-key';
import type { KeyEncryptionKey } from './key-encryption-key';

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
    this.cache = new LRUCache<string, DataKey>({ max: cached, fetchMethod: (scope) => this.loadOrCreate(scope) });
  }

  /** The key of the scope. All processes that ask get the same one, also when they ask at once for a new scope. */
  async keyFor(scope: string): Promise<DataKey> {
    return (await this.cache.fetch(scope)) as DataKey;
  }

  /** Destroys the key of the scope for good. A later `keyFor` makes another key. */
  async forget(scope: string): Promise<void> {
    await this.run(`DELETE FROM ${this.table} WHERE scope = $1`, [scope]);
    this.cache.delete(scope);
  }

  /** After a rotation: wraps every key anew that an older version wrapped, also those that nobody asks for. Gives how many. */
  async rewrapAll(): Promise<number> {
    let rewrapped = 0;
    let after = '';
    for (;;) {
      const rows = (await this.run(`SELECT scope, wrapped FROM ${this.table} WHERE scope > $1 ORDER BY scope LIMIT 500`, [after])) as KeyRow[];
      for (const { scope, wrapped } of rows) {
        after = scope;
        if (this.kek.isCurrent(wrapped)) continue;
        await this.rewrap(scope, wrapped, await this.kek.unwrap(wrapped, wrapContext(scope)));
        rewrapped++;
      }
      if (rows.length < 500) return rewrapped;
    }
  }

  private async loadOrCreate(scope: string): Promise<DataKey> {
    const found = await this.load(scope);
    if (found) return found;
    const wrapped = await this.kek.wrap(DataKey.generate().bytes(), wrapContext(scope));
    await this.run(`INSERT INTO ${this.table} (scope, wrapped) VALUES ($1, $2) ON CONFLICT (scope) DO NOTHING`, [scope, wrapped]);
    // Read back: of two processes that made a key at once, one has won.
    return (await this.load(scope)) ?? this.loadOrCreate(scope);
  }

  private async load(scope: string): Promise<DataKey | undefined> {
    const [row] = (await this.run(`SELECT scope, wrapped FROM ${this.table} WHERE scope = $1`, [scope])) as KeyRow[];
    if (!row) return undefined;
    const bytes = await this.kek.unwrap(row.wrapped, wrapContext(scope));
    if (!this.kek.isCurrent(row.wrapped)) await this.rewrap(scope, row.wrapped, bytes);
    return DataKey.fromBytes(bytes);
  }

  /** Only what was read is replaced: meanwhile the scope may have been forgotten and got another key. */
  private async rewrap(scope: string, wrapped: Buffer, bytes: Buffer): Promise<void> {
    const again = await this.kek.wrap(bytes, wrapContext(scope));
    await this.run(`UPDATE ${this.table} SET wrapped = $2 WHERE scope = $1 AND wrapped = $3`, [scope, again, wrapped]);
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
