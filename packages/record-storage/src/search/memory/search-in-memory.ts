import type { Condition } from '@tributary/fhir-search';
import type { ReadBudget } from '../../blocks/block-packing';
import type { RecordKeys } from '../../keys/record-keys';
import { uuidArray } from '../../postgres/binary-arrays';
import { type Queryable, run } from '../../postgres/statement';
import { idsOf, knownBlocks } from '../../read/opened-blocks';
import { type StoredVersion, readVersions } from '../../read/stored-version';
import type { TypeCode } from '../../type-codes';
import type { KeyMatch, KeyPage, ResourceMatch, ResourcePage, ResourceQuery } from '../resource-query';
import type { LiveIndex } from './live-index';
import { readResources } from './live-statements';
import { matchingRows } from './matching-rows';
import { RowSort } from './row-sort';

/** How often a search is repeated because resources of its page have changed meanwhile. */
const ATTEMPTS = 3;

/** A search of one type code whose index rows are in memory. Undefined where the rows change too fast. */
export class SearchInMemory {
  constructor(
    private readonly live: LiveIndex,
    private readonly keys: RecordKeys,
    private readonly typeCode: TypeCode,
  ) {}

  async count(where: Condition): Promise<number | undefined> {
    return (await this.live.catchUp()) && this.live.isConsistent
      ? matchingRows(this.live.rows, this.keys, where).length
      : undefined;
  }

  /** @throws InvalidCursorError */
  async keysPage(query: ResourceQuery): Promise<KeyPage | undefined> {
    if (!(await this.live.catchUp()) || !this.live.isConsistent) return undefined;
    const { matches, next } = this.find(query);
    return { matches, next };
  }

  /**
   * The content of the resources that match so far is read at the same time as the changes of the index. The page is
   * exact if these resources still have the versions of the index.
   * @throws InvalidCursorError, UnsealingError
   */
  async page(query: ResourceQuery, queryable: Queryable, budget?: ReadBudget): Promise<ResourcePage | undefined> {
    const { live } = this;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { revision, isConsistent } = live;
      const early = isConsistent ? this.find(query) : undefined;
      const [isCaughtUp, earlyContent] = await Promise.all([
        live.catchUp(),
        early && this.read(early.matches, queryable, budget),
      ]);
      if (!isCaughtUp) return undefined;
      if (!live.isConsistent) continue;
      const isUnchanged = early && live.revision === revision;
      const found = isUnchanged ? early : this.find(query);
      const content = isUnchanged ? earlyContent : await this.read(found.matches, queryable, budget);
      const matches = content && withContent(found.matches, content);
      if (matches) return { ...found, matches };
    }
    return undefined;
  }

  private find({ where, order = [], direction = 'forward', after, limit, total }: ResourceQuery): Found {
    const { rows: index } = this.live;
    const rows = matchingRows(index, this.keys, where);
    const first = new RowSort(index, this.keys, order, direction).first(rows, limit + 1, after);
    const matches = first.slice(0, limit).map(({ row, cursor }): KeyMatch => ({
      typeCode: this.typeCode,
      id: index.ids[row] as string,
      version: index.versions[row] as number,
      lastUpdated: index.lastUpdated[row] as number,
      cursor,
    }));
    return {
      matches,
      next: first.length > limit ? matches.at(-1)?.cursor : undefined,
      total: total ? rows.length : undefined,
    };
  }

  private async read(
    matches: readonly KeyMatch[],
    queryable: Queryable,
    budget: ReadBudget | undefined,
  ): Promise<StoredVersion[]> {
    if (matches.length === 0) return [];
    const { keys, typeCode } = this;
    const known = knownBlocks(keys);
    const ids = uuidArray(matches.map(({ id }) => id));
    const rows = await run(queryable, readResources, [keys.userId, typeCode, ids, idsOf(known, typeCode)]);
    return readVersions(keys, rows, { known, budget });
  }
}

interface Found extends KeyPage {
  readonly total: number | undefined;
}

/** Undefined if one of the resources has another version. */
function withContent(matches: readonly KeyMatch[], content: readonly StoredVersion[]): ResourceMatch[] | undefined {
  const versions = new Map(content.map((version) => [version.id, version]));
  const read: ResourceMatch[] = [];
  for (const match of matches) {
    const found = versions.get(match.id);
    if (found?.version !== match.version) return undefined;
    read.push({ ...match, json: found.json as Buffer });
  }
  return read;
}
