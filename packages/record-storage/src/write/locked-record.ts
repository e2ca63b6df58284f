import { INDEX_VERSION } from '@tributary/fhir-search';
import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import type { Queryable } from '../postgres/statement';
import { type CurrentVersion, readCurrentVersions, readLatest, readMany } from '../read/read';
import type { ResourceKey } from '../resource-key';
import type { RecordReader } from '../read/record-reader';
import type { StoredVersion } from '../read/stored-version';
import { RecordSearch } from '../search/record-search';
import type { Change, ChangeOutcome } from './batch-plan';

/** Writes changes within the transaction. */
export type WriteChanges = (changes: readonly Change[], returnJson: boolean) => Promise<ChangeOutcome[]>;

/**
 * A record within a transaction that holds its lock. Reads return what is committed and what the transaction has
 * written. Other writers that take the lock wait; single writes do not take it, so a write that depends on a read names
 * the version that it expects.
 */
export class LockedRecord implements RecordReader {
  readonly search = new RecordSearch({
    keys: () => Promise.resolve(this.keys),
    queryableFor: () => this.queryable,
  });

  constructor(
    private readonly queryable: Queryable,
    private readonly keys: RecordKeys,
    private readonly writeChanges: WriteChanges,
  ) {}

  read(typeCode: TypeCode, id: string): Promise<StoredVersion | undefined> {
    return readLatest(this.queryable, this.keys, typeCode, id);
  }

  readMany(wanted: readonly ResourceKey[]): Promise<StoredVersion[]> {
    return readMany(this.queryable, this.keys, wanted);
  }

  currentVersions(wanted: readonly ResourceKey[]): Promise<CurrentVersion[]> {
    return readCurrentVersions(this.queryable, this.keys, wanted);
  }

  /** Whether it was known to be current when the transaction began. Executes no statement. */
  isIndexCurrent(): Promise<boolean> {
    return Promise.resolve(this.keys.indexVersion === INDEX_VERSION);
  }

  /**
   * Carries out changes; each resource may be named once. To be called once in a transaction.
   * @throws VersionConflictError
   */
  write(changes: readonly Change[], { returnJson = false }: { returnJson?: boolean } = {}): Promise<ChangeOutcome[]> {
    return this.writeChanges(changes, returnJson);
  }
}
