/** Whether the ends of a range are epoch milliseconds or plain numbers. */
export type RangeKind = 'date' | 'number';

/** An ordered value of an element. Both ends are inclusive; an open end is infinite. */
export interface IndexRange {
  name: string;
  kind: RangeKind;
  low: number;
  high: number;
}

/** The index entries of a resource in plain text. The store blinds them before it writes them. */
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

/** The row has at least one of the terms. */
export interface AnyTermCondition {
  op: 'any-term';
  terms: string[];
}

/** The row has a range of this name whose ends are within the bounds. */
export interface RangeCondition {
  op: 'range';
  kind: RangeKind;
  name: string;
  /** Whether a row can have several ranges of this name. */
  repeats: boolean;
  low?: Bounds;
  high?: Bounds;
}

/** A condition on index rows. */
export type Condition =
  | AnyTermCondition
  | RangeCondition
  | { op: 'has-range'; name: string }
  | { op: 'id'; ids: string[] }
  | ({ op: 'last-updated' } & Bounds)
  | { op: 'and' | 'or'; of: Condition[] }
  | { op: 'not'; of: Condition }
  /** The row was written by another version of the index rules (`INDEX_VERSION`). */
  | { op: 'outdated' }
  | { op: 'all' };
