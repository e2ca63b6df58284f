import type { Condition } from '@tributary/fhir-search';
import type { ResourceVersion } from '../resource-key';
import type { TypeCode } from '../type-codes';
import type { Cursor, Direction, Order } from './order';

/** A search among the current versions of a record. */
export interface ResourceQuery {
  readonly typeCodes: readonly TypeCode[];
  readonly where: Condition;
  /**
   * Sort keys, the most important first; type code and id complete the order. Default: by type code and id, which is
   * the order of the primary key.
   */
  readonly order?: readonly Order[];
  /** `backward` reads the order from its end. The matches of a page come in the direction of reading. */
  readonly direction?: Direction;
  /** The cursor of the match after which the page begins, in the direction of reading. */
  readonly after?: Cursor;
  readonly limit: number;
  /** Whether to count the matches of all pages. */
  readonly total?: boolean;
}

/** A match, without content. */
export interface KeyMatch extends ResourceVersion {
  /** Its position in the order: a page `after` it begins with the next match. */
  readonly cursor: Cursor;
}

export interface ResourceMatch extends KeyMatch {
  readonly json: Buffer;
}

export interface KeyPage {
  readonly matches: KeyMatch[];
  /** The `after` of the next page; undefined on the last page. */
  readonly next: Cursor | undefined;
}

export interface ResourcePage {
  readonly matches: ResourceMatch[];
  /** The `after` of the next page; undefined on the last page. */
  readonly next: Cursor | undefined;
  /** The number of matches of all pages, if requested. */
  readonly total: number | undefined;
}
