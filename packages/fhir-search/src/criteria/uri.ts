import { uriTerm } from '../index/terms';
import { unescaped } from '../query/escapes';
import { SearchError } from '../search-error';
import { canonicalTexts } from '../values/references';
import { matchAll } from './criterion';
import type { ValueContext, ValueTest } from './value-test';

/**
 * An equal URI: https://hl7.org/fhir/R4/search.html#uri. `:below` matches URIs under the searched one, `:above` URIs
 * that it is under.
 * @throws SearchError when the value is empty
 */
export function parseUri(text: string, { parameter, modifier }: ValueContext): ValueTest {
  const wanted = unescaped(text);
  if (wanted === '') throw new SearchError(parameter, 'invalid', `${parameter} needs a uri`);
  if (modifier === 'below' || modifier === 'above') {
    return {
      condition: () => matchAll,
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

/** Whether a URI equals another or is under it, segment by segment: `urn:oid:1.2.3` is under `urn:oid:1.2`. */
function isUnder(uri: string, base: string): boolean {
  if (!uri.startsWith(base)) return false;
  if (uri.length === base.length || /[/:.]$/.test(base)) return true;
  const next = uri[base.length] ?? '';
  return base.startsWith('urn:') ? next === '.' || next === ':' : '/?#|'.includes(next);
}
