import { isJsonObject, type JsonValue, type Resource } from '@tributary/fhir-json';
import { containedReferenceTerm } from '../index/terms';
import type { ResolvedParameter } from '../query/resolved-parameter';
import { valuesAt } from '../values/element-paths';
import { containedId } from '../values/references';
import { anyOf, type Criterion } from './criterion';

/** Resources that contain what a chain leads to: their reference is to a contained resource of one of these types that fulfils the criteria. */
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
      parameter.of.flatMap(({ paths }) =>
        paths.map(({ index }) => ({ op: 'any-term', terms: [containedReferenceTerm(index.name)] })),
      ),
    ),
    exact: false,
    matches: (resource) => {
      const typed =
        parameter.of.find(({ type }) => type === resource.resourceType) ??
        parameter.of.find(({ type }) => type === 'Resource');
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
