import { exactNumber } from '../../index-values/exact-numbers';

/** The index row of a current resource. */
export interface IndexRow {
  readonly id: string;
  readonly version: number;
  /** Epoch milliseconds. */
  readonly lastUpdated: number;
  readonly terms: readonly bigint[];
  /** Flat triples: blinded name, low, high. */
  readonly ranges: readonly bigint[];
}

/** The ranges of one name, in the order of their rows. A row may have several. The ends are `exactNumber`s. */
export interface RangeColumn {
  readonly rows: number[];
  readonly lows: number[];
  readonly highs: number[];
}

/**
 * The index rows of one type code of a record in memory, by their columns. Rows are numbered in the order of their
 * addition. A row that is replaced or removed keeps its number and is no longer current.
 */
export class MemoryIndex {
  readonly ids: string[] = [];
  readonly versions: number[] = [];
  readonly lastUpdated: number[] = [];
  /** 1 for a row that is current. */
  readonly isCurrent: number[] = [];
  /** The rows that have a term. */
  readonly rowsOfTerm = new Map<bigint, number[]>();
  readonly rangesOfName = new Map<bigint, RangeColumn>();
  private readonly rowOfId = new Map<string, number>();
  /** What `endsOf` has returned. */
  private readonly ends = new Map<string, Float64Array>();

  /** The number of rows, with those that are no longer current. */
  get length(): number {
    return this.ids.length;
  }

  /** The number of terms and of ends of ranges, with those of rows that are no longer current. */
  values = 0;

  /** The current row of a resource. */
  rowOf(id: string): number | undefined {
    return this.rowOfId.get(id);
  }

  /** Adds the row of a resource in place of its earlier one. */
  set({ id, version, lastUpdated, terms, ranges }: IndexRow): void {
    this.remove(id);
    const row = this.ids.push(id) - 1;
    this.versions.push(version);
    this.lastUpdated.push(lastUpdated);
    this.isCurrent.push(1);
    this.rowOfId.set(id, row);
    this.values += terms.length + ranges.length;
    for (const term of terms) this.addTerm(term, row);
    for (let at = 0; at + 2 < ranges.length; at += 3)
      this.addRange(ranges[at] as bigint, ranges[at + 1] as bigint, ranges[at + 2] as bigint, row);
  }

  remove(id: string): void {
    const row = this.rowOfId.get(id);
    if (row === undefined) return;
    this.isCurrent[row] = 0;
    this.rowOfId.delete(id);
  }

  /**
   * The lowest low end or the highest high end of each row in the ranges of a name; NaN for a row without one.
   * @param repeats whether all ranges of a row count, not only its first one
   */
  endsOf(name: bigint, which: 'lowest' | 'highest', repeats: boolean): Float64Array {
    const key = `${name} ${which} ${repeats}`;
    const known = this.ends.get(key);
    if (known?.length === this.length) return known;
    const ends = new Float64Array(this.length).fill(NaN);
    const { rows, lows, highs } = this.rangesOfName.get(name) ?? { rows: [], lows: [], highs: [] };
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at] as number;
      const other = ends[row] as number;
      const end = (which === 'lowest' ? lows[at] : highs[at]) as number;
      if (Number.isNaN(other) || (repeats && (which === 'lowest' ? end < other : end > other))) ends[row] = end;
    }
    this.ends.set(key, ends);
    return ends;
  }

  private addTerm(term: bigint, row: number): void {
    const rows = this.rowsOfTerm.get(term);
    if (!rows) this.rowsOfTerm.set(term, [row]);
    else if (rows.at(-1) !== row) rows.push(row);
  }

  private addRange(name: bigint, low: bigint, high: bigint, row: number): void {
    let column = this.rangesOfName.get(name);
    if (!column) {
      column = { rows: [], lows: [], highs: [] };
      this.rangesOfName.set(name, column);
    }
    column.rows.push(row);
    column.lows.push(exactNumber(low));
    column.highs.push(exactNumber(high));
  }
}
