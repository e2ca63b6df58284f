import { searchParameters, type Release } from '@tributary/fhir-definitions';
import { testCriterion } from '../criteria/parameter-criterion';
import { referenceTest, wantedReferences } from '../criteria/reference';
import type { ValueContext } from '../criteria/value-test';
import { SearchError } from '../search-error';
import { isRelativeReference, referencedType } from '../values/references';
import { splitUnescaped, unescaped } from './escapes';
import { referencesOf, referencing } from './references-of';
import type { ResolvedParameter } from './resolved-parameter';
import type { HierarchyLink } from './search-query';

/** How resources say what resource of their own type they are part of. */
const partOf: ReadonlySet<string> = new Set(['partof', 'part-of']);

/** `location:below=42`: what refers to Location 42 or to a part of it, of whatever depth; `:above` to what it is a part of. */
export function hierarchyLink(
  parameter: ResolvedParameter,
  text: string,
  direction: 'above' | 'below',
  context: ValueContext,
): HierarchyLink {
  const { release } = parameter;
  const layered = context.targets.filter((type) => partOfParameter(release, type) !== undefined);
  if (layered.length === 0)
    throw new SearchError(
      context.parameter,
      'not-supported',
      `nothing that ${parameter.code} refers to is part of others of its type`,
    );
  const given = splitUnescaped(text, ',').map(unescaped);
  if (given.includes(''))
    throw new SearchError(context.parameter, 'invalid', `${context.parameter} takes an id or Type/id`);
  const start = given.flatMap((each) => wantedReferences(each, { ...context, modifier: undefined }));
  return {
    kind: 'hierarchy',
    parameter: context.parameter,
    start: start.filter((reference) => isRelativeReference(reference)),
    direction,
    partsOf: (references) =>
      layered.map((type) =>
        referencing(
          release,
          { source: type, parameter: partOfParameter(release, type) ?? '', target: type, iterate: false },
          references,
        ),
      ),
    wholesOf: (part) =>
      referencesOf(release, part.resourceType, partOfParameter(release, part.resourceType) ?? '', part).filter(
        (reference) => referencedType(reference) === part.resourceType,
      ),
    criterion: (references) => testCriterion(parameter, [referenceTest(references)], context.parameter),
  };
}

function partOfParameter(release: Release, type: string): string | undefined {
  return [...searchParameters(release, type).values()].find(
    ({ code, type: kind, targets }) => partOf.has(code) && kind === 'reference' && targets.includes(type),
  )?.code;
}
