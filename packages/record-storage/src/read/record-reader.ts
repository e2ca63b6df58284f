import type { ReadBudget } from '../blocks/block-packing';
import type { RecordKeys } from '../keys/record-keys';
import type { Queryable } from '../postgres/statement';
import type { ResourceKey, ResourceVersion } from '../resource-key';
import type { LiveIndex } from '../search/memory/live-index';
import { RecordSearch } from '../search/record-search';
import type { TypeCode } from '../type-codes';
import { readCurrentVersions, readLatest, readMany } from './read';
import type { StoredVersion } from './stored-version';

/**
 * Reads the current resources of one record: from a `UserRecord`, or within a transaction that holds the record's lock.
 * A record without keys is empty.
 */
export abstract class RecordReader {
  readonly search = new RecordSearch({
    keys: () => this.existingKeys(),
    queryableFor: (resources = Infinity) => this.queryableFor(resources),
    budget: () => this.budget,
    liveIndex: (keys, typeCode) => this.liveIndex(keys, typeCode),
  });

  protected readonly budget?: ReadBudget | undefined;

  /** The keys; undefined for a record that does not exist. */
  protected abstract existingKeys(): Promise<RecordKeys | undefined>;

  /**
   * What executes a statement.
   * @param resources the maximum number of resources whose content it reads
   * @param typeCode their type code, if they have the same one
   */
  protected abstract queryableFor(resources: number, typeCode?: TypeCode): Queryable;

  /** The index of a type code in memory, if there is one; a transaction has none. */
  protected liveIndex(_keys: RecordKeys, _typeCode: TypeCode): LiveIndex | undefined {
    return undefined;
  }

  /**
   * Whether all index rows were made by the index rules of this code. Until they are, a search must take the rows of
   * other rules (the condition `outdated`) for candidates and decide on their content, and must not sort by ranges in
   * SQL.
   */
  abstract isIndexCurrent(): Promise<boolean>;

  /**
   * The latest version, which may be a deletion; undefined if there never was one. FHIR R4 http.html#read.
   * @throws UnsealingError if its block cannot be decrypted
   */
  read(typeCode: TypeCode, id: string): Promise<StoredVersion | undefined> {
    return this.reading(
      (keys) => readLatest(this.queryableFor(1, typeCode), keys, typeCode, id, this.budget),
      undefined,
    );
  }

  /**
   * The current versions of those resources that exist, in the order of the keys, in one round trip.
   * @throws UnsealingError
   */
  readMany(wanted: readonly ResourceKey[]): Promise<StoredVersion[]> {
    return this.reading((keys) => readMany(this.queryableFor(wanted.length), keys, wanted, this.budget), []);
  }

  /** The same without content. */
  currentVersions(wanted: readonly ResourceKey[]): Promise<ResourceVersion[]> {
    return this.reading((keys) => readCurrentVersions(this.queryableFor(0), keys, wanted), []);
  }

  protected async reading<T>(work: (keys: RecordKeys) => Promise<T>, empty: T): Promise<T> {
    const keys = await this.existingKeys();
    return keys ? work(keys) : empty;
  }
}
