import type { TypeCode } from '../type-codes';
import type { RecordSearch } from '../search/record-search';
import type { CurrentVersion } from './read';
import type { ResourceKey } from '../resource-key';
import type { StoredVersion } from './stored-version';

/**
 * Reads the current resources of one record: from a `UserRecord`, or within a transaction that holds the record's lock.
 */
export interface RecordReader {
  readonly search: RecordSearch;
  /**
   * The latest version, which may be a deletion; undefined if there never was one.
   * @throws UnsealingError if its block cannot be decrypted
   */
  read(typeCode: TypeCode, id: string): Promise<StoredVersion | undefined>;
  /**
   * The current versions of those resources that exist, in the order of the keys, in one round trip.
   * @throws UnsealingError
   */
  readMany(wanted: readonly ResourceKey[]): Promise<StoredVersion[]>;
  /** The same without content. */
  currentVersions(wanted: readonly ResourceKey[]): Promise<CurrentVersion[]>;
  /**
   * Whether all index rows were made by the index rules of this code. Until they are, a search must take the rows of
   * other rules (the condition `outdated`) for candidates and decide on their content, and must not sort by ranges in
   * SQL.
   */
  isIndexCurrent(): Promise<boolean>;
}
