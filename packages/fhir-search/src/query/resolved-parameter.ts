import { resourceTypes, searchParameters, type Release, type SearchParameter } from '@tributary/fhir-definitions';
import { isIndexed, typeIndex, type ElementIndex, type IndexedPath } from '../index/element-index';

/** The definition of a search parameter for one resource type, and the indexes of its paths. */
export interface TypedParameter {
  type: string;
  definition: SearchParameter;
  paths: IndexedPath[];
  /** Whether its indexes have only values of this parameter, so that they decide alone. */
  covers: boolean;
}

/** A search parameter for the types of a search. */
export interface ResolvedParameter {
  release: Release;
  code: string;
  /** The type of the parameter. Resource types where it has another type are left out. */
  type: SearchParameter['type'];
  types: TypedParameter[];
}

/**
 * The definitions of a parameter for the resource types that have it.
 * @param types when empty, the parameters of every type (`Resource`)
 * @returns undefined when no type has it
 */
export function resolveParameter(
  release: Release,
  types: readonly string[],
  code: string,
): ResolvedParameter | undefined {
  const of = (types.length === 0 ? ['Resource'] : types).flatMap((type) => {
    const definition = searchParameters(release, type).get(code);
    return definition ? [typedParameter(release, type, definition)] : [];
  });
  const [first] = of;
  if (!first) return undefined;
  return {
    release,
    code,
    type: first.definition.type,
    types: of.filter((each) => each.definition.type === first.definition.type),
  };
}

function typedParameter(release: Release, type: string, definition: SearchParameter): TypedParameter {
  if (!isIndexed(definition)) return { type, definition, paths: [], covers: false };
  const { byPath } = typeIndex(release, type);
  const paths = definition.paths.flatMap((path) => {
    const index = byPath.get(path);
    return index ? [{ path, index }] : [];
  });
  return { type, definition, paths, covers: paths.every(({ index }) => coveredBy(index, paths)) };
}

function coveredBy(index: ElementIndex, paths: readonly IndexedPath[]): boolean {
  const own = new Set(paths.filter((each) => each.index === index).map((each) => lastProperty(each)));
  return index.paths.every((path) => own.has(lastProperty({ path, index })));
}

const lastProperty = ({ path }: IndexedPath): string => `${path.steps.at(-1)?.property}:${path.type}`;

/** The types that a reference parameter may refer to. */
export function targetsOf(parameter: ResolvedParameter): readonly string[] {
  const targets = new Set<string>();
  for (const { definition } of parameter.types) {
    for (const target of definition.targets.length > 0 ? definition.targets : resourceTypes(parameter.release))
      targets.add(target);
  }
  return [...targets];
}
