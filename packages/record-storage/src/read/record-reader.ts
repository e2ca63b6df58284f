import type { Condition } from '@tributary/fhir-search';
import type { TypeCode } from '../type-codes';
import type { KeyPage, ResourcePage, ResourceQuery } from '../search/search';
import type { CurrentVersion } from './read';
import type { ResourceKey } from '../resource-key';
import type { StoredVersion } from './stored-version';

/** Reads the current resources of one record: from a `UserRecord`, or within a transaction that holds the record's lock. */
export interface RecordReader {
  /** The latest version; `deleted` if that is a deletion. */
  read(typeCode: TypeCode, id: string): Promise<StoredVersion | undefined>;
  /** Those of the resources that exist, in the order asked, in one round trip. */
  readMany(wanted: readonly ResourceKey[]): Promise<StoredVersion[]>;
  /** Those of the resources that exist, without content. */
  currentVersions(wanted: readonly ResourceKey[]): Promise<CurrentVersion[]>;
  /** A page of the current resources that match, in one round trip. */
  search(query: ResourceQuery): Promise<ResourcePage>;
  /** The same without content, which is neither read nor decrypted. */
  searchKeys(query: Omit<ResourceQuery, 'total'>): Promise<KeyPage>;
  /**
   * Whether the index rows of all resources obey the index rules of this code. Until then a search must take the rows of other rules for candidates (the
   * condition `outdated`) and decide on their content; the order by ranges is not reliable either.
   */
  isIndexCurrent(): Promise<boolean>;
  /** How many current resources match. */
  count(typeCodes: readonly TypeCode[], where: Condition): Promise<number>;
}
