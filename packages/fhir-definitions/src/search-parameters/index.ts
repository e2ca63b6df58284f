import type { Release } from '../release';
import { resourceTypesOfRelease } from './resource-types';
import type { SearchParameter } from './search-parameter';
import { readSearchParameter, sections } from './table';

export type {
  CompositeComponent,
  PathStep,
  SearchParameter,
  SearchParameterType,
  SearchPath,
} from './search-parameter';

// A table is loaded when its release is first asked for, and a type's rows are read when the type is.
const loaders: Record<Release, () => { table: string }> = {
  dstu2: () => require('./dstu2') as typeof import('./dstu2'),
  stu3: () => require('./stu3') as typeof import('./stu3'),
  r4: () => require('./r4') as typeof import('./r4'),
};
const tables = new Map<Release, Map<string, string[]>>();
const parsed = new Map<string, ReadonlyMap<string, SearchParameter>>();
const typeSets: Record<Release, ReadonlySet<string>> = {
  dstu2: new Set(resourceTypesOfRelease.dstu2),
  stu3: new Set(resourceTypesOfRelease.stu3),
  r4: new Set(resourceTypesOfRelease.r4),
};

/** The concrete resource types of a release, by name. */
export function resourceTypes(release: Release): readonly string[] {
  return resourceTypesOfRelease[release];
}

export function isResourceType(release: Release, type: string): boolean {
  return typeSets[release].has(type);
}

/**
 * The search parameters of a resource type by code, with those of every resource (`_id`, `_lastUpdated` …).
 * For `Resource`: only the latter. For a type that the release does not know: none.
 */
export function searchParameters(release: Release, type: string): ReadonlyMap<string, SearchParameter> {
  const key = `${release}|${type}`;
  let found = parsed.get(key);
  if (!found) {
    found = readType(release, type);
    parsed.set(key, found);
  }
  return found;
}

function readType(release: Release, type: string): ReadonlyMap<string, SearchParameter> {
  if (type !== 'Resource' && !isResourceType(release, type)) return new Map();
  const table = tableOf(release);
  const found = new Map<string, SearchParameter>();
  for (const base of new Set(['Resource', 'DomainResource', type])) {
    for (const line of table.get(base) ?? []) {
      const parameter = readSearchParameter(base, line);
      found.set(parameter.code, parameter);
    }
  }
  return found;
}

function tableOf(release: Release): Map<string, string[]> {
  let table = tables.get(release);
  if (!table) {
    table = sections(loaders[release]().table);
    tables.set(release, table);
  }
  return table;
}
