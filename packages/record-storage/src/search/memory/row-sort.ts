import { exactNumber, valueOfNumber } from '../../index-values/exact-numbers';
import type { RecordKeys } from '../../keys/record-keys';
import { type Cursor, type Direction, type Order, assertCursorFits } from '../order';
import type { MemoryIndex } from './memory-index';

/** The value of a sort key; NaN where a row has none. */
type Value = number | string;

interface SortKey {
  readonly type: 'bigint' | 'uuid';
  readonly descending: boolean;
  readonly values: ArrayLike<Value>;
  /** The value in the text of a cursor. */
  readonly parse: (text: string) => Value;
  readonly format: (value: Value) => string;
}

/** A row with the values of its sort keys. */
interface Positioned {
  readonly row: number;
  readonly position: readonly Value[];
}

/** A total order of rows: the requested sort keys, then the id. It is that of `RowOrder` for one type code. */
export class RowSort {
  private readonly keys: readonly SortKey[];
  /** 1 where rows without a value come last, -1 where they come first. */
  private readonly ofNone: number;

  constructor(index: MemoryIndex, recordKeys: RecordKeys, orders: readonly Order[], direction: Direction) {
    const all = orders.some(({ by }) => by === 'id') ? orders : [...orders, { by: 'id' } as const];
    const keys = all.map((order) => sortKey(index, recordKeys, order));
    this.keys = direction === 'forward' ? keys : keys.map((key) => ({ ...key, descending: !key.descending }));
    this.ofNone = direction === 'forward' ? 1 : -1;
  }

  /**
   * The first of these rows in the order, with their cursors.
   * @param after only rows after this cursor
   * @throws InvalidCursorError if the cursor is of another order
   */
  first(rows: Uint32Array, limit: number, after?: Cursor): { row: number; cursor: Cursor }[] {
    const start = after && this.positionOf(after);
    const firstOf = (found: readonly Positioned[]): Positioned[] =>
      found.toSorted((one, other) => this.compare(one.row, other.position)).slice(0, limit);
    const { values, descending } = this.keys[0] as SortKey;
    let found: Positioned[] = [];
    let last: Positioned | undefined;
    for (const row of rows) {
      if (last) {
        // The first sort key alone leaves out nearly all rows.
        const [value, limitValue] = [values[row] as Value, last.position[0] as Value];
        if (descending ? value < limitValue : value > limitValue) continue;
        if (this.compare(row, last.position) > 0) continue;
      }
      if (start && this.compare(row, start) <= 0) continue;
      found.push({ row, position: this.keys.map(({ values }) => values[row] as Value) });
      if (found.length < 2 * limit) continue;
      found = firstOf(found);
      last = found.at(-1);
    }
    return firstOf(found).map(({ row, position }) => ({ row, cursor: this.cursorOf(position) }));
  }

  private compare(row: number, position: readonly Value[]): number {
    for (let at = 0; at < this.keys.length; at++) {
      const { values, descending } = this.keys[at] as SortKey;
      const [one, other] = [values[row] as Value, position[at] as Value];
      if (one < other) return descending ? 1 : -1;
      if (one > other) return descending ? -1 : 1;
      // Either they are equal, or one of them is NaN.
      if (one !== other && isNone(one) !== isNone(other)) return isNone(one) ? this.ofNone : -this.ofNone;
    }
    return 0;
  }

  private positionOf(cursor: Cursor): Value[] {
    assertCursorFits(
      cursor,
      this.keys.map(({ type }) => type),
    );
    return this.keys.map(({ parse }, at) => {
      const text = cursor[at] ?? null;
      return text === null ? NaN : parse(text);
    });
  }

  private cursorOf(position: readonly Value[]): Cursor {
    return position.map((value, at) => (isNone(value) ? null : (this.keys[at] as SortKey).format(value)));
  }
}

const isNone = (value: Value): boolean => Number.isNaN(value);

function sortKey(index: MemoryIndex, recordKeys: RecordKeys, order: Order): SortKey {
  const descending = order.descending ?? false;
  switch (order.by) {
    case 'id':
      return { type: 'uuid', descending, values: index.ids, parse: (text) => text.toLowerCase(), format: String };
    case 'last-updated':
      return { type: 'bigint', descending, values: index.lastUpdated, parse: Number, format: String };
    case 'range':
      return {
        type: 'bigint',
        descending,
        values: index.endsOf(recordKeys.blindRangeName(order.name), descending ? 'highest' : 'lowest', order.repeats),
        parse: (text) => exactNumber(BigInt(text)),
        format: (value) => String(valueOfNumber(value as number)),
      };
  }
}
