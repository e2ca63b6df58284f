import type { SearchPath } from '@tributary/fhir-definitions';
import type { JsonValue } from '@tributary/fhir-json';
import type { Condition } from '../index/index-values';
import type { IndexedPath } from '../index/element-index';
import type { Terminology } from '../terminology/terminology';

/** The test of one searched value on the values of a path. */
export interface ValueTest {
  /** The condition on the index of this path; `all` when the index cannot decide. */
  condition(path: IndexedPath): Condition;
  /** Whether the condition alone decides for this path. */
  exact(path: IndexedPath): boolean;
  test(path: SearchPath, value: JsonValue): boolean;
}

/** Parses one searched value. @throws SearchError when it is invalid */
export type ParseValue = (text: string, context: ValueContext) => ValueTest;

/** The context in which a value is parsed. */
export interface ValueContext {
  /** The search parameter as it was written, for error messages. */
  parameter: string;
  modifier: string | undefined;
  /** The types that a reference parameter may refer to. Empty: any type. */
  targets: readonly string[];
  /** The base URL of this server for the release, without a trailing slash. */
  baseUrl: string | undefined;
  /** Epoch milliseconds, for the prefix `ap` of dates. */
  now: number;
  /** The value sets and code systems that `:in`, `:not-in`, `:above` and `:below` may name. */
  terminology: Terminology;
}
