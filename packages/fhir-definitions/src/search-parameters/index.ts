import { perRelease } from '../per-release';
import type { Release } from '../release';
import { isResourceType } from '../resource-types';
import { readSections } from '../text-table';
import { readSearchParameter } from './read-search-parameter';
import type { SearchParameter } from './search-parameter';

export type {
  CompositeComponent,
  PathStep,
  SearchParameter,
  SearchParameterType,
  SearchPath,
} from './search-parameter';

type ParametersByCode = ReadonlyMap<string, SearchParameter>;

const rowsByType = perRelease((release) => {
  const { table } = require(`./tables/${release}`) as { table: string };
  return readSections(table);
});

/** The parsed parameters by type. The rows of a type are parsed by the first call for it. */
const parsedTypes = perRelease(() => new Map<string, ParametersByCode>());

/**
 * The search parameters of a resource type by code, including those of every resource (`_id`, `_lastUpdated` …), which
 * are the only ones of the type `Resource`: https://hl7.org/fhir/R4/searchparameter-registry.html. The result is empty
 * for a type that the release does not have.
 */
export function searchParameters(release: Release, type: string): ParametersByCode {
  const parsed = parsedTypes(release);
  let parameters = parsed.get(type);
  if (!parameters) {
    parameters = readType(release, type);
    parsed.set(type, parameters);
  }
  return parameters;
}

function readType(release: Release, type: string): ParametersByCode {
  if (type !== 'Resource' && !isResourceType(release, type)) return new Map();
  const parameters = new Map<string, SearchParameter>();
  for (const base of new Set(['Resource', 'DomainResource', type])) {
    for (const row of rowsByType(release).get(base) ?? []) {
      const parameter = readSearchParameter(base, row);
      parameters.set(parameter.code, parameter);
    }
  }
  return parameters;
}
