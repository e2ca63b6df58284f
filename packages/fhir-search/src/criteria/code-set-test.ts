import type { SearchPath } from '@tributary/fhir-definitions';
import type { Condition } from '../index/index-values';
import type { IndexedPath } from '../index/element-index';
import { codeTerm, systemCodeTerm } from '../index/terms';
import { SearchError } from '../search-error';
import { CodeSet } from '../terminology/code-set';
import { tokensOf } from '../values/tokens';
import { matchAll, matchNone } from './criterion';
import type { ValueContext, ValueTest } from './value-test';

/** Modifiers of token parameters that name a value set, or a code with its descendants or ancestors. */
export const codeSetModifiers: ReadonlySet<string> = new Set(['in', 'not-in', 'above', 'below']);

/** A set of at most this many codes is searched by its terms; a larger one is decided on the content. */
const maxTerms = 500;
const withSystem: ReadonlySet<string> = new Set(['CodeableConcept', 'Coding']);

/** Whether the values at a path are codes of a code system. */
export function isCoded({ type }: SearchPath): boolean {
  return withSystem.has(type) || type === 'code';
}

/**
 * Values that are in a set of codes. A value of type `code` belongs to the code systems of its binding, or to any when
 * these are unknown.
 */
export function codeSetTest(codes: CodeSet): ValueTest {
  const few = codes.enumerated(maxTerms);
  return {
    condition: (at) => (!isCoded(at.path) ? matchNone : few ? termsOf(at, few) : matchAll),
    exact: (at) => few !== undefined || !isCoded(at.path),
    test: (path, value) =>
      isCoded(path) &&
      tokensOf(path.type, value).some(({ system, code }) => code !== undefined && isAmong(codes, path, system, code)),
  };
}

function termsOf({ path, index: { name } }: IndexedPath, codes: readonly (readonly [string, string])[]): Condition {
  if (withSystem.has(path.type))
    return { op: 'any-term', terms: codes.map(([system, code]) => systemCodeTerm(name, system, code)) };
  const own = codes.filter(([system]) => path.systems?.includes(system) ?? true);
  return { op: 'any-term', terms: [...new Set(own.map(([, code]) => codeTerm(name, code)))] };
}

function isAmong(codes: CodeSet, path: SearchPath, system: string | undefined, code: string): boolean {
  if (withSystem.has(path.type)) return system !== undefined && codes.has(system, code);
  return path.systems ? path.systems.some((each) => codes.has(each, code)) : codes.hasOfAnySystem(code);
}

/**
 * The codes of a value set, named by its URL or by the id of a ValueSet of the record.
 * @throws SearchError when its codes are unknown
 */
export function namedValueSet(url: string, { parameter, terminology }: ValueContext): CodeSet {
  if (url === '') throw new SearchError(parameter, 'invalid', `${parameter} takes the url of a value set`);
  const codes = terminology.valueSet(url);
  if (!codes)
    throw new SearchError(
      parameter,
      'not-supported',
      `the value set ${url} is not known: neither the record nor the release contains its codes`,
    );
  return codes;
}

/**
 * A code and its descendants or ancestors in its code system.
 * @throws SearchError when the code system or the code is unknown
 */
export function codesInHierarchy(
  system: string,
  code: string,
  direction: 'above' | 'below',
  { parameter, terminology }: ValueContext,
): CodeSet {
  const codeSystem = terminology.codeSystem(system);
  if (!codeSystem)
    throw new SearchError(
      parameter,
      'not-supported',
      `the code system ${system} is not known: neither the record nor the release contains its hierarchy`,
    );
  if (!codeSystem.codes.has(code))
    throw new SearchError(parameter, 'invalid', `the code system ${system} has no such code`);
  return CodeSet.of(system, codeSystem[direction](code));
}
