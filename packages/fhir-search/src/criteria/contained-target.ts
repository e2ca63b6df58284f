import { isJsonObject, type JsonValue, type Resource } from '@tributary/fhir-json';
import { containedReferenceTerm } from '../index/terms';
import type { ResolvedParameter } from '../query/resolved-parameter';
import { valuesAt } from '../values/element-paths';
import { containedId } from '../values/references';
import { anyOf, type Criterion } from './criterion';

/**
 * Matches resources whose reference leads to a contained resource (`#id`) of one of the types that fulfils the
 * criteria.
 */
export function containedTargetCriterion(
  parameter: ResolvedParameter,
  types: readonly string[],
  criteria: readonly Criterion[],
  written: string,
): Criterion {
  const isWanted = (target: Resource): boolean =>
    types.includes(target.resourceType) && criteria.every((criterion) => criterion.matches(target));
  return {
    parameter: written,
    condition: anyOf(
      parameter.types.flatMap(({ paths }) =>
        paths.map(({ index }) => ({ op: 'any-term', terms: [containedReferenceTerm(index.name)] })),
      ),
    ),
    exact: false,
    matches: (resource) => {
      const typed =
        parameter.types.find(({ type }) => type === resource.resourceType) ??
        parameter.types.find(({ type }) => type === 'Resource');
      return (
        typed?.definition.paths.some((path) =>
          valuesAt(path, resource).some((value) => containedIn(resource, value).some(isWanted)),
        ) ?? false
      );
    },
  };
}

function containedIn({ contained }: Resource, reference: JsonValue): Resource[] {
  const id = containedId(reference);
  if (id === undefined || !Array.isArray(contained)) return [];
  return contained.filter(
    (each): each is Resource => isJsonObject(each) && typeof each['resourceType'] === 'string' && each['id'] === id,
  );
}
