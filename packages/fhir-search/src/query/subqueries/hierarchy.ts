import { searchParameters, type Release } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import type { Criterion } from '../../criteria/criterion';
import { testCriterion } from '../../criteria/parameter-criterion';
import { referenceTest } from '../../criteria/reference';
import { referencedType } from '../../values/references';
import { referencesOf, referencing } from '../references-of';
import type { Hierarchy, SubSearch } from '../search-query';

/** The codes of parameters by which a resource refers to its parent, a resource of the same type. */
const parentCodes: ReadonlySet<string> = new Set(['partof', 'part-of']);

/**
 * The reference parameter that leads from a resource of a type to its parent. Undefined for types without a hierarchy.
 */
export function parentParameter(release: Release, type: string): string | undefined {
  return [...searchParameters(release, type).values()].find(
    (parameter) =>
      parentCodes.has(parameter.code) && parameter.type === 'reference' && parameter.targets.includes(type),
  )?.code;
}

/** The searches for the children of these resources, one for each type. */
export function childrenOf({ release, levelTypes }: Hierarchy, parents: readonly string[]): SubSearch[] {
  return levelTypes.map((type) =>
    referencing(
      release,
      { source: type, parameter: parentParameter(release, type) ?? '', target: type, iterate: false },
      parents,
    ),
  );
}

/** References to the parents of a resource. */
export function parentsOf({ release }: Hierarchy, child: Resource): string[] {
  const type = child.resourceType;
  return referencesOf(release, type, parentParameter(release, type) ?? '', child).filter(
    (reference) => referencedType(reference) === type,
  );
}

/**
 * The criterion that replaces `:above` or `:below`.
 * @param references the resources where the hierarchy starts, and all that were reached from them
 */
export function hierarchyCriterion({ reference, parameter }: Hierarchy, references: readonly string[]): Criterion {
  return testCriterion(reference, [referenceTest(references)], parameter);
}
