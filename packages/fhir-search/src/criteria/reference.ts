import type { SearchPath } from '@tributary/fhir-definitions';
import { isJsonObject } from '@tributary/fhir-json';
import { referenceTerm } from '../index/terms';
import { unescaped } from '../query/escapes';
import { SearchError } from '../search-error';
import { isRelativeReference, mayReferTo, normalReference, referencedType, referenceTexts } from '../values/references';
import { tokensOf } from '../values/tokens';
import { matchAll } from './criterion';
import { parseSystemAndCode } from './token';
import type { ValueContext, ValueTest } from './value-test';

/**
 * `id`, `Type/id` or a URL (https://hl7.org/fhir/R4/search.html#reference). The modifier `:Type` gives the type of an
 * id; `:identifier` compares `Reference.identifier`.
 * @throws SearchError when the value is empty
 */
export function parseReference(text: string, context: ValueContext): ValueTest {
  if (context.modifier === 'identifier') return identifierInReference(text, context);
  const given = unescaped(text);
  if (given === '')
    throw new SearchError(context.parameter, 'invalid', `${context.parameter} takes an id, Type/id or a url`);
  return referenceTest(wantedReferences(given, context));
}

/** Values that equal one of the references. */
export function referenceTest(references: readonly string[]): ValueTest {
  const wanted = new Set(references);
  return {
    condition: ({ path, index }) => ({
      op: 'any-term',
      terms: [...wanted]
        .filter((reference) => mayStandAt(path, reference))
        .map((reference) => referenceTerm(index.name, reference)),
    }),
    exact: () => true,
    test: (path, value) => {
      const texts = referenceTexts(path.type, value);
      if (!texts.some((text) => wanted.has(text))) return false;
      return path.resolvesTo === undefined || mayReferTo(path.resolvesTo, value, texts);
    },
  };
}

function mayStandAt(path: SearchPath, reference: string): boolean {
  return path.resolvesTo === undefined || referencedType(reference) === path.resolvesTo;
}

/** The references that a searched value means. An id alone means a reference to each of the possible target types. */
export function wantedReferences(given: string, { targets, baseUrl, modifier }: ValueContext): string[] {
  const local = baseUrl !== undefined && given.startsWith(`${baseUrl}/`) ? given.slice(baseUrl.length + 1) : given;
  const normal = normalReference(local) ?? local;
  const named = isRelativeReference(normal) ? referencedType(normal) : undefined;
  if (named !== undefined) return modifier === undefined || modifier === named ? [normal] : [];
  if (normal.includes('/') || normal.includes(':')) return [normal];
  return [...targets.map((type) => `${type}/${normal}`), normal];
}

function identifierInReference(text: string, context: ValueContext): ValueTest {
  const { system, code } = parseSystemAndCode(text, context);
  return {
    condition: () => matchAll,
    exact: () => false,
    test: (_path, value) =>
      isJsonObject(value) &&
      value['identifier'] !== undefined &&
      tokensOf('Identifier', value['identifier']).some(
        (token) =>
          (code === undefined || token.code === code) &&
          (system === undefined || (system === '' ? token.system === undefined : token.system === system)),
      ),
  };
}
