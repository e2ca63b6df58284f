import {
  codeSystemOf,
  type CodeRelation,
  type CodeSystem,
  type CodeTree,
  type ValueSetPart,
  type ValueSetTable,
} from '@tributary/fhir-definitions';
import { isJsonObject, type JsonObject, type JsonValue, type Resource } from '@tributary/fhir-json';

const relations: ReadonlySet<string> = new Set<CodeRelation>(['is-a', 'descendent-of', 'is-not-a']);

/**
 * The parts that a ValueSet of any release includes and excludes. A complete expansion is preferred to the definition.
 * @returns undefined when it has no codes, or selects them by a filter that is not supported
 */
export function readValueSet(resource: Resource): ValueSetTable | undefined {
  const expansion = object(resource['expansion']);
  if (expansion && isWhole(expansion)) return { include: expandedParts(objects(expansion['contains'])) };
  const compose = object(resource['compose']);
  const own = object(resource['codeSystem']);
  const include = [
    ...(own ? [ownSystem(own)] : []),
    ...texts(compose?.['import']).map((url): ValueSetPart => ({ valueSets: [url] })),
    ...objects(compose?.['include']).map(readPart),
  ];
  const exclude = objects(compose?.['exclude']).map(readPart);
  return include.length > 0 && include.every(isKnown) && exclude.every(isKnown) ? { include, exclude } : undefined;
}

/**
 * A CodeSystem, or the code system within a ValueSet of DSTU2. Undefined when the resource does not have all its codes.
 */
export function readCodeSystem(resource: Resource): CodeSystem | undefined {
  const own = object(resource['codeSystem']);
  const system = own ?? resource;
  const url = own ? own['system'] : resource['url'];
  if (typeof url !== 'string' || (!own && resource['content'] !== 'complete')) return undefined;
  return codeSystemOf(url, codeTree(objects(system['concept'])));
}

/** Whether an expansion has all codes: it is not a page of a larger one and was not truncated. */
function isWhole(expansion: JsonObject): boolean {
  const { offset, total } = expansion;
  const cut = objects(expansion['extension']).some(
    ({ url }) => typeof url === 'string' && /toocostly|unclosed/i.test(url),
  );
  const contains = objects(expansion['contains']);
  return (
    contains.length > 0 &&
    !cut &&
    offset === undefined &&
    (total === undefined || Number(total) === expandedCount(contains))
  );
}

function expandedCount(contains: readonly JsonObject[]): number {
  return contains.reduce(
    (sum, each) =>
      sum +
      (typeof each['code'] === 'string' && each['abstract'] !== true ? 1 : 0) +
      expandedCount(objects(each['contains'])),
    0,
  );
}

function expandedParts(contains: readonly JsonObject[]): ValueSetPart[] {
  const bySystem = new Map<string, string[]>();
  const add = (each: JsonObject): void => {
    const { system, code } = each;
    if (typeof system === 'string' && typeof code === 'string' && each['abstract'] !== true) {
      const codes = bySystem.get(system) ?? [];
      codes.push(code);
      bySystem.set(system, codes);
    }
    objects(each['contains']).forEach(add);
  };
  contains.forEach(add);
  return [...bySystem].map(([system, codes]) => ({ system, codes }));
}

function ownSystem(codeSystem: JsonObject): ValueSetPart | undefined {
  const { system } = codeSystem;
  return typeof system === 'string' ? { system, codes: allCodes(objects(codeSystem['concept'])) } : undefined;
}

function allCodes(concepts: readonly JsonObject[]): string[] {
  return concepts.flatMap((concept) => [...texts(concept['code']), ...allCodes(objects(concept['concept']))]);
}

function readPart(part: JsonObject): ValueSetPart | undefined {
  const { system } = part;
  const valueSets = texts(part['valueSet']);
  const codes = objects(part['concept']).flatMap((concept) => texts(concept['code']));
  const filters = objects(part['filter']).map(readFilter);
  if (
    !filters.every(isKnown) ||
    (typeof system !== 'string' && (valueSets.length === 0 || codes.length + filters.length > 0))
  )
    return undefined;
  return {
    ...(typeof system === 'string' && { system }),
    ...(codes.length > 0 && { codes }),
    ...(filters.length > 0 && { filters }),
    ...(valueSets.length > 0 && { valueSets }),
  };
}

function readFilter({ property, op, value }: JsonObject): readonly [CodeRelation, string] | undefined {
  if (
    (property !== 'concept' && property !== 'code') ||
    typeof op !== 'string' ||
    !relations.has(op) ||
    typeof value !== 'string'
  )
    return undefined;
  return [op as CodeRelation, value];
}

function codeTree(concepts: readonly JsonObject[]): CodeTree {
  return concepts.flatMap((concept) => {
    const { code } = concept;
    return typeof code === 'string' ? [code, codeTree(objects(concept['concept']))] : [];
  });
}

const isKnown = <T>(value: T | undefined): value is T => value !== undefined;
const object = (value: JsonValue | undefined): JsonObject | undefined => (isJsonObject(value) ? value : undefined);
const objects = (value: JsonValue | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
const texts = (value: JsonValue | undefined): string[] =>
  (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');
