import { type JsonObject, type JsonValue, decimalValue, isDecimal, isJsonObject } from '@tributary/fhir-json';
import { FhirError, badRequest } from '../../fhir-http/fhir-error';
import { PatchBudget, assertDepth } from './patch-budget';

type Container = JsonObject | JsonValue[];

/**
 * Applies a JSON Patch (RFC 6902). The given document is not changed. Decimals keep their precision.
 * @throws FhirError when the patch is malformed, does not fit the document or exceeds a limit
 */
export function applyJsonPatch(document: JsonValue, patch: JsonValue): JsonValue {
  if (!Array.isArray(patch)) throw badRequest('a JSON Patch is an array of operations', 'structure');
  PatchBudget.assertOperations(patch.length);
  const budget = new PatchBudget();
  // The document is the only item of a list, so that it has a container as every other value.
  const root = [budget.copy(document, 0, 'the resource')];
  for (const [index, operation] of patch.entries()) applyOperation(root, operation, budget, `operation ${index}`);
  return root[0] as JsonValue;
}

function applyOperation(root: JsonValue[], operation: JsonValue, budget: PatchBudget, name: string): void {
  if (!isJsonObject(operation)) throw badRequest(`${name} is no object`, 'structure');
  const { op } = operation;
  const path = pointer(operation['path'], name);
  const depth = path.length - 1;
  switch (op) {
    case 'add':
      return add(root, path, budget.copy(valueOf(operation, name), depth, name), name);
    case 'replace':
      return replace(root, path, budget.copy(valueOf(operation, name), depth, name), name);
    case 'remove':
      return remove(root, path, name);
    case 'test':
      if (!isEqual(get(root, path, name), valueOf(operation, name)))
        throw new FhirError(422, `${name}: the test failed`);
      return undefined;
    case 'copy':
      return add(root, path, budget.copy(get(root, pointer(operation['from'], name), name), depth, name), name);
    case 'move': {
      const from = pointer(operation['from'], name);
      if (path.length > from.length && from.every((part, index) => part === path[index]))
        throw new FhirError(422, `${name}: an element cannot be moved into itself`);
      const value = get(root, from, name);
      assertDepth(value, depth, name);
      remove(root, from, name);
      return add(root, path, value, name);
    }
    default:
      throw badRequest(`${name} has no op of JSON Patch`, 'structure');
  }
}

function valueOf(operation: JsonObject, name: string): JsonValue {
  const { value } = operation;
  if (value === undefined) throw badRequest(`${name} has no value`, 'structure');
  return value;
}

/** The keys from the root to a value. The first one is that of the document. */
function pointer(text: JsonValue | undefined, name: string): string[] {
  if (typeof text !== 'string' || (text !== '' && !text.startsWith('/')))
    throw badRequest(`${name} requires a JSON Pointer`, 'structure');
  PatchBudget.assertPath(text, name);
  const [, ...parts] = text.split('/');
  return ['0', ...parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))];
}

function get(root: JsonValue, path: readonly string[], name: string): JsonValue {
  return path.reduce((value, part) => childOf(value, part, name), root);
}

function add(root: JsonValue[], path: readonly string[], value: JsonValue, name: string): void {
  const { parent, key } = placeOf(root, path, name);
  if (!Array.isArray(parent) || parent === root) set(parent, key, value, name);
  else parent.splice(key === '-' ? parent.length : indexOf(key, parent.length, name), 0, value);
}

function replace(root: JsonValue[], path: readonly string[], value: JsonValue, name: string): void {
  const { parent, key } = placeOf(root, path, name);
  childOf(parent, key, name);
  set(parent, key, value, name);
}

function remove(root: JsonValue[], path: readonly string[], name: string): void {
  if (path.length === 1) throw new FhirError(422, `${name}: the resource itself cannot be removed`);
  const { parent, key } = placeOf(root, path, name);
  childOf(parent, key, name);
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}

/** Where a value is or will be. */
function placeOf(root: JsonValue[], path: readonly string[], name: string): { parent: Container; key: string } {
  const parent = get(root, path.slice(0, -1), name);
  if (Array.isArray(parent) || isJsonObject(parent)) return { parent, key: path.at(-1) as string };
  throw missing(name);
}

function childOf(value: JsonValue, part: string, name: string): JsonValue {
  if (Array.isArray(value)) return value[indexOf(part, value.length - 1, name)] as JsonValue;
  const child = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  if (child === undefined) throw missing(name);
  return child;
}

function set(parent: Container, key: string, value: JsonValue, name: string): void {
  if (key === '__proto__') throw badRequest(`${name} names a member that no resource has`, 'structure');
  if (Array.isArray(parent)) parent[Number(key)] = value;
  else parent[key] = value;
}

function indexOf(part: string, max: number, name: string): number {
  const index = /^(?:0|[1-9]\d{0,8})$/.test(part) ? Number(part) : Infinity;
  if (index > max) throw missing(name);
  return index;
}

function missing(name: string): FhirError {
  return new FhirError(422, `${name}: there is nothing at its path`);
}

function isEqual(a: JsonValue, b: JsonValue): boolean {
  if (isDecimal(a) && isDecimal(b)) return decimalValue(a) === decimalValue(b);
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index] as JsonValue));
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual(a[name] as JsonValue, b[name] as JsonValue))
  );
}
