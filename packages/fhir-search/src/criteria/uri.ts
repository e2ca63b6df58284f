import { uriTerm } from '../index/terms';
import { unescaped } from '../query/escapes';
import { SearchError } from '../search-error';
import { canonicalTexts } from '../values/references';
import { everything } from './criterion';
import type { ValueContext, ValueTest } from './value-test';

/** The very url; `:below` is everything under it, `:above` everything that it lies under. */
export function readUri(text: string, { parameter, modifier }: ValueContext): ValueTest {
  const wanted = unescaped(text);
  if (wanted === '') throw new SearchError(parameter, 'invalid', `${parameter} needs a uri`);
  if (modifier === 'below' || modifier === 'above') {
    return {
      condition: () => everything,
      exact: () => false,
      test: (_path, value) =>
        typeof value === 'string' && (modifier === 'below' ? isUnder(value, wanted) : isUnder(wanted, value)),
    };
  }
  return {
    condition: ({ index }) => ({ op: 'any-term', terms: [uriTerm(index.name, wanted)] }),
    exact: () => true,
    test: (_path, value) => typeof value === 'string' && canonicalTexts(value).includes(wanted),
  };
}

/** Whether a uri equals another or lies under it, segment by segment (`urn:oid:1.2.3` lies under `urn:oid:1.2`). */
function isUnder(uri: string, base: string): boolean {
  if (!uri.startsWith(base)) return false;
  if (uri.length === base.length || /[/:.]$/.test(base)) return true;
  const next = uri[base.length] ?? '';
  return base.startsWith('urn:') ? next === '.' || next === ':' : '/?#|'.includes(next);
}
