import {
  searchParameters,
  type PathStep,
  type Release,
  type SearchParameter,
  type SearchPath,
} from '@tributary/fhir-definitions';

/** The search parameter types whose values are indexed. */
export type IndexedParameterType = 'token' | 'reference' | 'uri' | 'date' | 'string' | 'number' | 'quantity';

/**
 * An indexed element. Parameters of the same element share its index: `subject` and `patient`, `code` and `combo-code`,
 * `telecom`, `email` and `phone`.
 */
export interface ElementIndex {
  /** The element's path, such as `Observation.component.code`; every term and range name starts with it. */
  name: string;
  parameterType: IndexedParameterType;
  /** Whether a resource can have more than one value. */
  repeats: boolean;
  paths: SearchPath[];
}

/** A path of a parameter and the index that holds its values. */
export interface IndexedPath {
  path: SearchPath;
  index: ElementIndex;
}

/** The indexed elements of a resource type, with two ways to find them. */
export interface TypeIndex {
  elements: readonly ElementIndex[];
  byPath: ReadonlyMap<SearchPath, ElementIndex>;
  /** By `elementKey`, for the components of composites: their elements are indexed by other parameters. */
  byKey: ReadonlyMap<string, ElementIndex>;
}

const indexedParameterTypes: ReadonlySet<string> = new Set<IndexedParameterType>([
  'token',
  'reference',
  'uri',
  'date',
  'string',
  'number',
  'quantity',
]);
/** Parameters that are decided by columns of the row or by the content. */
const unindexedCodes: ReadonlySet<string> = new Set(['_id', '_lastUpdated', '_query', 'near', 'near-distance']);
const compiled = new Map<string, TypeIndex>();

/** Whether the values of a parameter are indexed. */
export function isIndexed(parameter: SearchParameter): boolean {
  return indexedParameterTypes.has(parameter.type) && !unindexedCodes.has(parameter.code) && parameter.paths.length > 0;
}

/** The indexed elements of a resource type. They are compiled once. */
export function typeIndex(release: Release, type: string): TypeIndex {
  const key = `${release}|${type}`;
  let found = compiled.get(key);
  if (!found) {
    found = compile([...searchParameters(release, type).values()].filter(isIndexed));
    compiled.set(key, found);
  }
  return found;
}

function compile(parameters: readonly SearchParameter[]): TypeIndex {
  const elements = new Map<string, ElementIndex>();
  const byPath = new Map<SearchPath, ElementIndex>();
  for (const parameter of parameters) {
    for (const path of parameter.paths) {
      const parameterType = parameter.type as IndexedParameterType;
      const key = elementKey(parameter.base, path.steps, parameterType);
      const element = elements.get(key) ?? {
        name: elementName(parameter.base, path.steps, parameterType),
        parameterType,
        repeats: false,
        paths: [],
      };
      elements.set(key, element);
      byPath.set(path, element);
      addPath(element, path);
    }
  }
  return { elements: [...elements.values()], byPath, byKey: elements };
}

function addPath(element: ElementIndex, path: SearchPath): void {
  element.repeats ||=
    path.type === 'CodeableConcept' || path.steps.some((step) => step.repeats && step.index === undefined);
  if (element.paths.some((known) => extractsTheSame(known, path))) return;
  const sharesTelecom = path.type === 'ContactPoint' && element.paths.some((known) => known.type === 'ContactPoint');
  if (!sharesTelecom) element.paths.push(withoutSystemFilter(path));
}

function extractsTheSame(a: SearchPath, b: SearchPath): boolean {
  return (
    a.type === b.type &&
    a.steps.map((step) => step.property).join('.') === b.steps.map((step) => step.property).join('.')
  );
}

/** `telecom.where(system='email')` shares the index of `telecom`, whose terms contain the system. */
function withoutSystemFilter(path: SearchPath): SearchPath {
  if (telecomSystem(path) === undefined) return path;
  return {
    ...path,
    steps: path.steps.map((step) => ({ property: step.property, element: step.element, repeats: step.repeats })),
  };
}

/** The ContactPoint system that a path filters by. */
export function telecomSystem(path: SearchPath): string | undefined {
  const where = path.steps.at(-1)?.where;
  return path.type === 'ContactPoint' && where?.name === 'system' ? where.equals : undefined;
}

/** The key of an element in `TypeIndex.byKey`. */
export function elementKey(base: string, steps: readonly PathStep[], parameterType: string): string {
  return `${elementName(base, steps, parameterType)} ${parameterType}`;
}

function elementName(base: string, steps: readonly PathStep[], parameterType: string): string {
  const names = steps.map(({ element, index, where }) => {
    const filter =
      where && !(parameterType === 'token' && where.name === 'system' && element === 'telecom')
        ? `[${where.name}=${where.equals}]`
        : '';
    return element + (index === undefined ? '' : `[${index}]`) + filter;
  });
  return `${base}.${names.join('.')}`;
}
