import type { Resource } from '@tributary/fhir-json';
import { containedReferenceTerm } from '../index/terms';
import type { ResolvedParameter } from '../query/resolved-parameter';
import { containedId, containedResources } from '../values/contained-resources';
import { valuesAt } from '../values/element-paths';
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
  const isWanted = (id: string | undefined, container: Resource): boolean =>
    id !== undefined &&
    containedResources(container).some(
      (target) =>
        target.id === id &&
        types.includes(target.resourceType) &&
        criteria.every((criterion) => criterion.matches(target, container)),
    );
  return {
    parameter: written,
    condition: anyOf(
      parameter.types.flatMap(({ paths }) =>
        paths.map(({ index }) => ({ op: 'any-term', terms: [containedReferenceTerm(index.name)] })),
      ),
    ),
    exact: false,
    matches: (resource, container = resource) => {
      const typed =
        parameter.types.find(({ type }) => type === resource.resourceType) ??
        parameter.types.find(({ type }) => type === 'Resource');
      return (
        typed?.definition.paths.some((path) =>
          valuesAt(path, resource).some((value) => isWanted(containedId(value), container)),
        ) ?? false
      );
    },
  };
}
