import type { RecordKeys } from '../keys/record-keys';
import type { TypeCode } from '../type-codes';
import { smallintArray, uuidArray } from '../postgres/binary-arrays';
import { type Queryable, run } from '../postgres/statement';
import { findCurrentVersions, readCurrent, readLatest, readMany, readVersion } from './read-statements';
import { type ResourceKey, keyText } from '../resource-key';
import { type StoredVersion, readVersions } from './stored-version';

/** An existing resource, without content. */
export interface CurrentVersion extends ResourceKey {
  readonly version: number;
  readonly lastUpdated: number;
}

/** Reads resources by their keys. */
export class Reading {
  constructor(
    private readonly queryable: Queryable,
    private readonly keys: RecordKeys,
  ) {}

  async latest(typeCode: TypeCode, id: string): Promise<StoredVersion | undefined> {
    const key = [this.keys.userId, typeCode, id];
    const current = await run(this.queryable, readCurrent, key);
    // Nearly all reads are of what exists; only the others pay for a second look. It is for both, since what was deleted may be back.
    return readVersions(this.keys, current.length > 0 ? current : await run(this.queryable, readLatest, key))[0];
  }

  async version(typeCode: TypeCode, id: string, version: number): Promise<StoredVersion | undefined> {
    return readVersions(
      this.keys,
      await run(this.queryable, readVersion, [this.keys.userId, typeCode, id, version]),
    )[0];
  }

  /** Those that exist, in the order asked, each once. */
  async many(wanted: readonly ResourceKey[]): Promise<StoredVersion[]> {
    const rows = await run(this.queryable, readMany, this.keyParameters(wanted));
    return inOrderOf(wanted, readVersions(this.keys, rows));
  }

  /** Those that exist, in the order asked, each once. */
  async currentVersions(wanted: readonly ResourceKey[]): Promise<CurrentVersion[]> {
    const rows = await run(this.queryable, findCurrentVersions, this.keyParameters(wanted));
    const currentVersions = rows.map(([typeCode, id, version, lastUpdated]) => ({
      typeCode: typeCode as TypeCode,
      id: id as string,
      version: version as number,
      lastUpdated: Number(lastUpdated),
    }));
    return inOrderOf(wanted, currentVersions);
  }

  private keyParameters(wanted: readonly ResourceKey[]): unknown[] {
    const once = [...new Map(wanted.map((key) => [keyText(key), key])).values()];
    return [this.keys.userId, smallintArray(once.map((key) => key.typeCode)), uuidArray(once.map((key) => key.id))];
  }
}

function inOrderOf<T extends ResourceKey>(wanted: readonly ResourceKey[], found: readonly T[]): T[] {
  const byKey = new Map(found.map((each) => [keyText(each), each]));
  const ordered = new Set<T>();
  for (const key of wanted) {
    const each = byKey.get(keyText(key));
    if (each) ordered.add(each);
  }
  return [...ordered];
}
