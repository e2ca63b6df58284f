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
  let patched = budget.copy(document, 0, 'the resource');
  for (const [index, operation] of patch.entries())
    patched = applyOperation(patched, operation, budget, `operation ${index}`);
  return patched;
}

function applyOperation(document: JsonValue, operation: JsonValue, budget: PatchBudget, name: string): JsonValue {
  if (!isJsonObject(operation)) throw badRequest(`${name} is no object`, 'structure');
  const { op } = operation;
  const path = pointer(operation['path'], name);
  const given = (): JsonValue => budget.copy(valueOf(operation, name), path.length, name);
  switch (op) {
    case 'add':
      return add(document, path, given(), name);
    case 'replace':
      return replace(document, path, given(), name);
    case 'remove':
      return remove(document, path, name);
    case 'test':
      if (!isEqual(get(document, path, name), valueOf(operation, name)))
        throw new FhirError(422, `${name}: the test failed`);
      return document;
    case 'copy':
      return add(
        document,
        path,
        budget.copy(get(document, pointer(operation['from'], name), name), path.length, name),
        name,
      );
    case 'move': {
      const from = pointer(operation['from'], name);
      if (path.length > from.length && from.every((part, index) => part === path[index]))
        throw new FhirError(422, `${name}: an element cannot be moved into itself`);
      const value = get(document, from, name);
      assertDepth(value, path.length, name);
      return add(remove(document, from, name), path, value, name);
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

function pointer(text: JsonValue | undefined, name: string): string[] {
  if (typeof text !== 'string' || (text !== '' && !text.startsWith('/')))
    throw badRequest(`${name} requires a JSON Pointer`, 'structure');
  PatchBudget.assertPath(text, name);
  return text === ''
    ? []
    : text
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function get(document: JsonValue, path: readonly string[], name: string): JsonValue {
  return path.reduce((value, part) => childOf(value, part, name), document);
}

function add(document: JsonValue, path: readonly string[], value: JsonValue, name: string): JsonValue {
  const last = path.at(-1);
  if (last === undefined) return value;
  const parent = containerAt(document, path, name);
  if (Array.isArray(parent)) parent.splice(last === '-' ? parent.length : indexOf(last, parent.length, name), 0, value);
  else setMember(parent, last, value, name);
  return document;
}

function replace(document: JsonValue, path: readonly string[], value: JsonValue, name: string): JsonValue {
  const last = path.at(-1);
  if (last === undefined) return value;
  const parent = containerAt(document, path, name);
  childOf(parent, last, name);
  if (Array.isArray(parent)) parent[indexOf(last, parent.length - 1, name)] = value;
  else setMember(parent, last, value, name);
  return document;
}

function remove(document: JsonValue, path: readonly string[], name: string): JsonValue {
  const last = path.at(-1);
  if (last === undefined) throw new FhirError(422, `${name}: the resource itself cannot be removed`);
  const parent = containerAt(document, path, name);
  childOf(parent, last, name);
  if (Array.isArray(parent)) parent.splice(indexOf(last, parent.length - 1, name), 1);
  else delete parent[last];
  return document;
}

function containerAt(document: JsonValue, path: readonly string[], name: string): Container {
  const parent = get(document, path.slice(0, -1), name);
  if (Array.isArray(parent) || isJsonObject(parent)) return parent;
  throw missing(name);
}

function childOf(value: JsonValue, part: string, name: string): JsonValue {
  if (Array.isArray(value)) return value[indexOf(part, value.length - 1, name)] as JsonValue;
  const child = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  if (child === undefined) throw missing(name);
  return child;
}

function setMember(parent: JsonObject, member: string, value: JsonValue, name: string): void {
  if (member === '__proto__') throw badRequest(`${name} names a member that no resource has`, 'structure');
  parent[member] = value;
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
