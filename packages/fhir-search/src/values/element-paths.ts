import type { PathStep, SearchPath } from '@tributary/fhir-definitions';
import { isJsonObject, type JsonObject, type JsonValue } from '@tributary/fhir-json';

/** Calls back for every value of a path below a node. */
export type Walk<T> = (node: JsonObject, into: T) => void;

/**
 * Compiles the steps of a path into nested closures. A property can be an array whether or not its element repeats,
 * since stored records are not always valid.
 */
export function compileSteps<T>(steps: readonly PathStep[], leaf: (value: JsonValue, into: T) => void): Walk<T> {
  const [step, ...rest] = steps;
  if (!step) return leaf;
  const next = rest.length === 0 ? leaf : descend(compileSteps(rest, leaf));
  const { property, index, where } = step;
  const onItem = where === undefined ? next : filtered(where, next);
  if (index !== undefined) {
    return (node, into) => {
      const value = node[property];
      const item = Array.isArray(value) ? value[index] : undefined;
      if (item !== undefined && item !== null) onItem(item, into);
    };
  }
  return (node, into) => {
    const value = node[property];
    if (value === undefined || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) if (item !== null) onItem(item, into);
    } else {
      onItem(value, into);
    }
  };
}

function descend<T>(walk: Walk<T>): (value: JsonValue, into: T) => void {
  return (value, into) => {
    if (isJsonObject(value)) walk(value, into);
  };
}

function filtered<T>(
  where: { name: string; equals: string },
  next: (value: JsonValue, into: T) => void,
): (value: JsonValue, into: T) => void {
  return (value, into) => {
    if (isJsonObject(value) && value[where.name] === where.equals) next(value, into);
  };
}

const collectors = new WeakMap<SearchPath, Walk<JsonValue[]>>();

/** All values of a path below a node. A `present` path has exactly one: true or false. */
export function valuesAt(path: SearchPath, node: JsonObject): JsonValue[] {
  let collect = collectors.get(path);
  if (!collect) {
    collect = path.anyOf ? presence(path) : compileSteps<JsonValue[]>(path.steps, (value, into) => into.push(value));
    collectors.set(path, collect);
  }
  const values: JsonValue[] = [];
  collect(node, values);
  return values;
}

function presence(path: SearchPath): Walk<JsonValue[]> {
  return (node, into) => into.push(isPresent(path, node));
}

/** Whether one of the properties of a `present` path exists and is not false. */
export function isPresent(path: SearchPath, node: JsonObject): boolean {
  return (path.anyOf ?? []).some(
    (property) => node[property] !== undefined && node[property] !== null && node[property] !== false,
  );
}
