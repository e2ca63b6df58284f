import type { SearchPath } from '@tributary/fhir-definitions';
import type { JsonValue } from '@tributary/fhir-json';
import type { Condition } from '../index-values';
import type { IndexedPath } from '../index/element-index';
import type { Terminology } from '../terminology/terminology';

/** What one searched value asks of the values of a path. */
export interface ValueTest {
  /** What the index can say about the values of this path; `all` when it cannot. */
  condition(path: IndexedPath): Condition;
  /** Whether that decides it for this path. */
  exact(path: IndexedPath): boolean;
  test(path: SearchPath, value: JsonValue): boolean;
}

/** Reads one searched value; throws a SearchError when it is none. */
export type ReadValue = (text: string, context: ValueContext) => ValueTest;

/** What reading a value may need to know. */
export interface ValueContext {
  /** The parameter as it was written, for messages. */
  parameter: string;
  modifier: string | undefined;
  /** Types that a reference parameter may point to; empty = any. */
  targets: readonly string[];
  /** The own base address of the release, without a slash at the end. */
  baseUrl: string | undefined;
  now: number;
  /** The value sets and code systems that `:in`, `:not-in`, `:above` and `:below` may name. */
  terminology: Terminology;
}
