import { isUuid } from '@tributary/fhir-json';
import type { RangeKind } from '@tributary/fhir-search';
import type { RecordKeys } from '../keys/record-keys';
import type { Row } from '../postgres/statement';
import { InvalidCursorError } from '../errors';
import type { Parameters } from './parameters';

/** One sort key. Resources without the range come last in both directions. */
export type Order =
  | { readonly by: 'last-updated'; readonly descending?: boolean }
  | { readonly by: 'id'; readonly descending?: boolean }
  | {
      readonly by: 'range';
      readonly kind: RangeKind;
      readonly name: string;
      readonly repeats: boolean;
      readonly descending?: boolean;
    };

/** The position of a row in the order: the values of its sort keys. It can be serialized as JSON. */
export type Cursor = readonly (string | null)[];

/** The SQL type of a sort key. */
export type SortType = 'bigint' | 'uuid' | 'smallint';

interface OrderKey {
  readonly sql: string;
  readonly type: SortType;
  readonly descending: boolean;
  readonly optional: boolean;
}

/** Whether an order is read from its start to its end, or from its end to its start. */
export type Direction = 'forward' | 'backward';

const hasForm = {
  bigint: (text: string) => /^-?\d{1,19}$/.test(text),
  smallint: (text: string) => /^\d{1,5}$/.test(text),
  uuid: isUuid,
} as const;

/** @throws InvalidCursorError if a cursor has another number of values than an order, or values of another form */
export function assertCursorFits(cursor: Cursor, types: readonly SortType[]): void {
  const fits = (type: SortType, at: number): boolean => {
    const value = cursor[at] ?? null;
    return value === null || hasForm[type](value);
  };
  if (cursor.length !== types.length || !types.every(fits)) throw new InvalidCursorError();
}

/** A total order: the requested sort keys, then type code and id. A cursor is valid in both directions. */
export class RowOrder {
  private readonly keys: readonly OrderKey[];
  private readonly nulls: 'FIRST' | 'LAST';

  constructor(
    recordKeys: RecordKeys,
    orders: readonly Order[],
    hasSeveralTypes: boolean,
    parameters: Parameters,
    direction: Direction,
  ) {
    const keys = orders.map((order) => orderKey(recordKeys, order, parameters));
    if (hasSeveralTypes) keys.push({ sql: 'r.type_code', type: 'smallint', descending: false, optional: false });
    if (!orders.some((order) => order.by === 'id'))
      keys.push({ sql: 'r.id', type: 'uuid', descending: false, optional: false });
    const isForward = direction === 'forward';
    this.keys = isForward ? keys : keys.map((key) => ({ ...key, descending: !key.descending }));
    this.nulls = isForward ? 'LAST' : 'FIRST';
  }

  /** The values of the keys as columns key_1, key_2 … */
  get columns(): string {
    return this.keys.map(({ sql }, i) => `${sql} AS key_${i + 1}`).join(', ');
  }

  /** The names of these columns. */
  get names(): string {
    return this.keys.map((_, i) => `key_${i + 1}`).join(', ');
  }

  /** ORDER BY over the columns. */
  get orderBy(): string {
    return this.keys
      .map(({ descending }, i) => `key_${i + 1} ${descending ? 'DESC' : 'ASC'} NULLS ${this.nulls}`)
      .join(', ');
  }

  /**
   * ORDER BY over the index row itself; without the position of nulls where there are none, so that the primary key can
   * serve.
   */
  get orderByRow(): string {
    return this.keys
      .map(
        ({ sql, descending, optional }) =>
          `${sql}${descending ? ' DESC' : ''}${optional ? ` NULLS ${this.nulls}` : ''}`,
      )
      .join(', ');
  }

  /** Rows that come after the cursor in the direction of reading. @throws InvalidCursorError */
  afterSql(cursor: Cursor, parameters: Parameters): string {
    assertCursorFits(
      cursor,
      this.keys.map(({ type }) => type),
    );
    const [only] = this.keys;
    if (only && this.keys.length === 1 && !only.optional)
      return `${only.sql} ${only.descending ? '<' : '>'} ${parameters.add(cursor[0], only.type)}`;
    const alternatives: string[] = [];
    const equal: string[] = [];
    this.keys.forEach((key, i) => {
      const value = cursor[i] ?? null;
      if (value === null) {
        if (this.nulls === 'FIRST') alternatives.push([...equal, `${key.sql} IS NOT NULL`].join(' AND '));
        equal.push(`${key.sql} IS NULL`);
        return;
      }
      const placeholder = parameters.add(value, key.type);
      const later = `${key.sql} ${key.descending ? '<' : '>'} ${placeholder}`;
      alternatives.push(
        [...equal, key.optional && this.nulls === 'LAST' ? `(${later} OR ${key.sql} IS NULL)` : later].join(' AND '),
      );
      equal.push(`${key.sql} = ${placeholder}`);
    });
    return `(${alternatives.join(' OR ')})`;
  }

  /** The cursor in the columns of a row, from this column on. */
  cursor(row: Row, from: number): Cursor {
    return row
      .slice(from, from + this.keys.length)
      .map((value) => (value === null ? null : String(value as string | number)));
  }
}

function orderKey(keys: RecordKeys, order: Order, parameters: Parameters): OrderKey {
  const descending = order.descending ?? false;
  switch (order.by) {
    case 'last-updated':
      return { sql: 'r.last_updated', type: 'bigint', descending, optional: false };
    case 'id':
      return { sql: 'r.id', type: 'uuid', descending, optional: false };
    case 'range':
      return {
        sql: rangeKeySql(parameters.add(keys.blindRangeName(order.name), 'bigint'), order.repeats, descending),
        type: 'bigint',
        descending,
        optional: true,
      };
  }
}

/** Ascending by the lowest low end, descending by the highest high end. */
function rangeKeySql(name: string, repeats: boolean, descending: boolean): string {
  const offset = descending ? 2 : 1;
  if (!repeats) return `r.ranges[array_position(r.ranges, ${name}) + ${offset}]`;
  return `(SELECT ${descending ? 'max' : 'min'}(r.ranges[i + ${offset}]) FROM generate_series(1, cardinality(r.ranges), 3) AS i WHERE r.ranges[i] = ${name})`;
}
