import type { SearchPath } from '@tributary/fhir-definitions';
import { isJsonObject, type JsonValue } from '@tributary/fhir-json';
import type { Condition } from '../index/index-values';
import { telecomSystem, type IndexedPath } from '../index/element-index';
import { codeTerm, systemCodeTerm } from '../index/terms';
import { splitUnescaped, unescaped } from '../query/escapes';
import { SearchError } from '../search-error';
import { fold } from '../values/folding';
import { comparableCode, tokensOf, tokenTexts, type Token } from '../values/tokens';
import { codeSetTest, codesInHierarchy, namedValueSet } from './code-set-test';
import { matchAll, matchNone } from './criterion';
import { startsAtAWord } from './string';
import type { ValueContext, ValueTest } from './value-test';

/** The code systems of `true` and `false`. */
const booleanSystems: readonly string[] = [
  'http://terminology.hl7.org/CodeSystem/special-values',
  'http://hl7.org/fhir/special-values',
];
const codedTypes: ReadonlySet<string> = new Set(['CodeableConcept', 'Coding', 'Identifier', 'ContactPoint']);

/**
 * `code`, `system|code`, `|code` (no system) or `system|` (any code of the system):
 * https://hl7.org/fhir/R4/search.html#token. The value is words with the modifier `:text`, `system|code|value` with
 * `:of-type`, and the URL of a value set with `:in` and `:not-in`.
 * @throws SearchError
 */
export function parseToken(text: string, context: ValueContext): ValueTest {
  if (context.modifier === 'text') return tokenText(unescaped(text));
  if (context.modifier === 'of-type') return identifierOfType(text, context);
  if (context.modifier === 'in' || context.modifier === 'not-in')
    return codeSetTest(namedValueSet(unescaped(text), context));
  if (context.modifier === 'above' || context.modifier === 'below')
    return hierarchyTest(text, context.modifier, context);
  const { system, code } = parseSystemAndCode(text, context);
  return {
    condition: (at) => condition(at, system, code),
    exact: () => system !== '' && code !== undefined,
    test: (path, value) => tokensOf(path.type, value).some((token) => matchesToken(path, token, system, code)),
  };
}

/** A parsed `system|code`. */
export interface SystemAndCode {
  /** Empty: the value must have no system. Undefined: any system. */
  system: string | undefined;
  code: string | undefined;
}

/** Parses `code`, `system|code`, `|code` or `system|`. @throws SearchError for any other form */
export function parseSystemAndCode(text: string, { parameter }: Pick<ValueContext, 'parameter'>): SystemAndCode {
  const parts = splitUnescaped(text, '|').map(unescaped);
  const [first = '', second, ...rest] = parts;
  if (rest.length > 0 || text === '' || text === '|')
    throw new SearchError(parameter, 'invalid', `${parameter} takes code, system|code, |code or system|`);
  if (second === undefined) return { system: undefined, code: first };
  return { system: first, code: second === '' ? undefined : second };
}

function condition(
  { path, index: { name } }: IndexedPath,
  system: string | undefined,
  searchedCode: string | undefined,
): Condition {
  if (searchedCode === undefined) return matchAll;
  const code = comparableCode(path.type, searchedCode);
  const contact = telecomSystem(path);
  if (contact !== undefined) {
    const wanted = system === undefined || system === '' || system === contact;
    return wanted ? { op: 'any-term', terms: [systemCodeTerm(name, contact, code)] } : matchNone;
  }
  if (system === undefined || system === '') return { op: 'any-term', terms: [codeTerm(name, code)] };
  if (codedTypes.has(path.type)) return { op: 'any-term', terms: [systemCodeTerm(name, system, code)] };
  return hasSystem(path, system) ? { op: 'any-term', terms: [codeTerm(name, code)] } : matchNone;
}

/**
 * Whether values of the path belong to a code system by their binding. Values with an unknown binding belong to every
 * code system.
 */
function hasSystem(path: SearchPath, system: string): boolean {
  if (path.type === 'boolean' || path.type === 'present') return booleanSystems.includes(system);
  return path.systems === undefined || path.systems.includes(system);
}

function matchesToken(path: SearchPath, token: Token, system: string | undefined, code: string | undefined): boolean {
  if (
    code !== undefined &&
    (token.code === undefined || comparableCode(path.type, token.code) !== comparableCode(path.type, code))
  )
    return false;
  if (system === undefined) return true;
  if (!codedTypes.has(path.type)) return system === '' || hasSystem(path, system);
  return system === '' ? token.system === undefined || telecomSystem(path) !== undefined : token.system === system;
}

/** `:below` and `:above`: a code and its descendants or ancestors. */
function hierarchyTest(text: string, direction: 'above' | 'below', context: ValueContext): ValueTest {
  const { system, code } = parseSystemAndCode(text, context);
  if (code === undefined || system === undefined || system === '')
    throw new SearchError(context.parameter, 'invalid', `${context.parameter} takes system|code`);
  return codeSetTest(codesInHierarchy(system, code, direction, context));
}

function tokenText(text: string): ValueTest {
  const wanted = fold(text);
  return {
    condition: () => matchAll,
    exact: () => false,
    test: (path, value) => tokenTexts(path.type, value).some((each) => startsAtAWord(fold(each), wanted)),
  };
}

function identifierOfType(text: string, { parameter }: ValueContext): ValueTest {
  const [system = '', code = '', value = '', ...rest] = splitUnescaped(text, '|').map(unescaped);
  if (rest.length > 0 || code === '' || value === '')
    throw new SearchError(parameter, 'invalid', `${parameter} takes system|code|value`);
  const typed = (identifier: JsonValue): boolean =>
    isJsonObject(identifier) &&
    identifier['type'] !== undefined &&
    tokensOf('CodeableConcept', identifier['type']).some(
      (type) => type.code === code && (system === '' || type.system === system),
    );
  return {
    condition: ({ index }) => ({ op: 'any-term', terms: [codeTerm(index.name, value)] }),
    exact: () => false,
    test: (path, identifier) =>
      path.type === 'Identifier' &&
      tokensOf(path.type, identifier).some((token) => token.code === value) &&
      typed(identifier),
  };
}
