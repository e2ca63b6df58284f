/** What a range holds: epoch milliseconds or plain numbers. */
export type RangeKind = 'date' | 'number';

/** One value of a path that has an order. An open end is an infinity; dates are epoch milliseconds, both ends inclusive. */
export interface IndexRange {
  name: string;
  kind: RangeKind;
  low: number;
  high: number;
}

/** What the store keeps of a resource to find it again, before blinding. */
export interface IndexValues {
  terms: string[];
  ranges: IndexRange[];
}

/** Bounds of one end of a range. */
export interface Bounds {
  ge?: number;
  gt?: number;
  le?: number;
  lt?: number;
}

/** At least one of the terms is in the row. */
export interface AnyTermCondition {
  op: 'any-term';
  terms: string[];
}

/** One stored range of this name lies within the bounds of both its ends. */
export interface RangeCondition {
  op: 'range';
  kind: RangeKind;
  name: string;
  repeats: boolean;
  low?: Bounds;
  high?: Bounds;
}

/** What the store can decide from its index rows alone. */
export type Condition =
  | AnyTermCondition
  | RangeCondition
  | { op: 'has-range'; name: string }
  | { op: 'id'; ids: string[] }
  | ({ op: 'last-updated' } & Bounds)
  | { op: 'and' | 'or'; of: Condition[] }
  | { op: 'not'; of: Condition }
  /** The row was made by other index rules than those of this code, so that it tells nothing. */
  | { op: 'outdated' }
  | { op: 'all' };
