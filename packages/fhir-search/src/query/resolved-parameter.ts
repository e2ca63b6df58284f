import { resourceTypes, searchParameters, type Release, type SearchParameter } from '@tributary/fhir-definitions';
import { isIndexed, typeIndex, type ElementIndex, type IndexedPath } from '../index/element-index';

/** A search parameter as one resource type defines it, with the indexes that hold its values. */
export interface TypedParameter {
  type: string;
  definition: SearchParameter;
  paths: IndexedPath[];
  /** Its indexes hold nothing but its own values, so that they can decide alone. */
  covers: boolean;
}

/** A search parameter over the types that a search looks at. */
export interface ResolvedParameter {
  release: Release;
  code: string;
  /** Of the first type; the types of a search that names several must agree. */
  kind: SearchParameter['type'];
  of: TypedParameter[];
}

/** The types among those given (none given: `Resource`, for every type) that know a parameter; undefined when none does. */
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
    kind: first.definition.type,
    of: of.filter((each) => each.definition.type === first.definition.type),
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

/** The types that a reference parameter may point to. */
export function targetsOf(parameter: ResolvedParameter): readonly string[] {
  const targets = new Set<string>();
  for (const { definition } of parameter.of) {
    for (const target of definition.targets.length > 0 ? definition.targets : resourceTypes(parameter.release))
      targets.add(target);
  }
  return [...targets];
}
