import { elementModel } from '@tributary/fhir-definitions';
import {
  type JsonObject,
  type JsonValue,
  type Resource,
  decimalValue,
  isDecimal,
  isJsonObject,
} from '@tributary/fhir-json';
import { FhirError, badRequest } from '../../fhir-http/fhir-error';
import { type Location, children, locate } from './fhirpath-location';
import { valueIn } from '../operations/parameters';
import { PatchBudget, assertDepth } from './patch-budget';

interface Operation {
  readonly type: string;
  readonly path: string;
  readonly name: string | undefined;
  readonly value: { readonly member: string; readonly value: JsonValue } | undefined;
  readonly index: number | undefined;
  readonly source: number | undefined;
  readonly destination: number | undefined;
}

/**
 * Applies a FHIRPath Patch (https://hl7.org/fhir/R4/fhirpatch.html): add, insert, delete, replace and move. The given
 * resource is not changed.
 * @throws FhirError when the patch is malformed, does not fit the resource or exceeds a limit
 */
export function applyFhirPathPatch(resource: Resource, parameters: JsonObject): Resource {
  const operations = parametersOf(parameters).filter((each) => each['name'] === 'operation');
  PatchBudget.assertOperations(operations.length);
  // Operations change the copy in place.
  const budget = new PatchBudget();
  const patched = budget.copy(resource, 0, 'the resource');
  operations.forEach((each, index) =>
    applyOperation(patched, readOperation(each, index, budget), `operation ${index}`),
  );
  assertDepth(patched, 0, 'the patch');
  return withoutEmptyLists(patched) as Resource;
}

/** Removes empty lists, which FHIR does not allow. */
function withoutEmptyLists(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutEmptyLists);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => !Array.isArray(member) || member.length > 0);
  return Object.fromEntries(
    kept.map(([name, member]) => [name, member === undefined ? undefined : withoutEmptyLists(member)]),
  );
}

function applyOperation(resource: Resource, operation: Operation, label: string): void {
  switch (operation.type) {
    case 'add':
      return add(resource, operation, label);
    case 'replace':
      return replace(one(resource, operation, label), valueOf(operation, label));
    case 'delete':
      return locate(resource, operation.path).length === 0 ? undefined : remove(one(resource, operation, label));
    case 'insert': {
      const items = list(resource, operation, label);
      items.splice(validIndex(operation.index, items.length, label), 0, valueOf(operation, label).value);
      return undefined;
    }
    case 'move': {
      const items = list(resource, operation, label);
      const [moved] = items.splice(validIndex(operation.source, items.length - 1, label), 1);
      items.splice(validIndex(operation.destination, items.length, label), 0, moved as JsonValue);
      return undefined;
    }
    default:
      throw badRequest(`${label} has no type of FHIRPath Patch`, 'structure');
  }
}

/** Adds a child to the only element at the path: to a list, or as a single value. */
function add(resource: Resource, operation: Operation, label: string): void {
  const targets = locate(resource, operation.path);
  const [target] = targets;
  const { name } = operation;
  if (!target || targets.length > 1 || !isJsonObject(target.value))
    throw new FhirError(422, `${label}: its path must select one element that can have child elements`);
  if (name === undefined || !/^[A-Za-z]\w*$/.test(name)) throw badRequest(`${label} has no name`, 'structure');
  const { member, value } = valueOf(operation, label);
  const definition = elementModel('r4').type(target.type)?.elements.get(name);
  const present = target.value[name];
  if (Array.isArray(present)) present.push(value);
  else if (children(target, name).length > 0) throw new FhirError(422, `${label}: the element is already there`);
  else target.value[definition?.choice ? name + typeIn(member) : name] = (definition?.max ?? 1) > 1 ? [value] : value;
}

/** The type suffix of a choice element, from the member name of a parameter value such as `valueQuantity`. */
function typeIn(member: string): string {
  return member.slice('value'.length);
}

/** Replaces the value of an element. The type of a choice element can change. */
function replace(
  { container, key, parentType }: Location,
  { member, value }: { member: string; value: JsonValue },
): void {
  if (Array.isArray(container)) {
    container[Number(key)] = value;
    return;
  }
  const element = elementModel('r4').type(parentType)?.properties.get(String(key))?.element;
  const property = element?.choice ? element.name + typeIn(member) : String(key);
  if (property !== key) delete container[key];
  container[property] = value;
}

function remove({ container, key }: Location): void {
  if (Array.isArray(container)) container.splice(Number(key), 1);
  else delete container[key];
}

function one(resource: Resource, { path }: Operation, label: string): Location {
  const found = locate(resource, path);
  const [only] = found;
  if (found.length !== 1 || !only?.location)
    throw new FhirError(
      422,
      `${label}: its path selects ${found.length === 0 ? 'no element' : 'more than one element'}`,
    );
  return only.location;
}

function list(resource: Resource, { path }: Operation, label: string): JsonValue[] {
  const container = locate(resource, path)[0]?.location?.container;
  if (!Array.isArray(container)) throw new FhirError(422, `${label}: its path selects no list`);
  return container;
}

function validIndex(index: number | undefined, max: number, label: string): number {
  if (index === undefined || !Number.isInteger(index) || index < 0 || index > max)
    throw new FhirError(422, `${label}: the index is outside the list`);
  return index;
}

function valueOf({ value }: Operation, label: string): { member: string; value: JsonValue } {
  if (value === undefined) throw badRequest(`${label} has no value`, 'structure');
  return value;
}

function readOperation(operation: JsonObject, operationIndex: number, budget: PatchBudget): Operation {
  const parts = new Map(parametersOf(operation, 'part').map((part) => [part['name'], part]));
  const given = (name: string): JsonValue | undefined => valueIn(parts.get(name) ?? {})?.value;
  const text = (name: string): string | undefined => {
    const value = given(name);
    return typeof value === 'string' ? value : undefined;
  };
  const number = (name: string): number | undefined => {
    const value = given(name);
    return isDecimal(value) ? decimalValue(value) : undefined;
  };
  const [type, path] = [text('type'), text('path')];
  if (type === undefined || path === undefined)
    throw badRequest(`operation ${operationIndex} must have type and path`, 'structure');
  PatchBudget.assertPath(path, `operation ${operationIndex}`);
  const element = givenValue(parts.get('value'));
  // A copy is necessary: later operations change it in place, and the same patch can be applied again to a newer
  // version.
  const value = element && { ...element, value: budget.copy(element.value, 0, `operation ${operationIndex}`) };
  return {
    type,
    path,
    name: text('name'),
    value,
    index: number('index'),
    source: number('source'),
    destination: number('destination'),
  };
}

/** A value, or the parts of a backbone element. */
function givenValue(part: JsonObject | undefined): Operation['value'] {
  if (!part) return undefined;
  const found = valueIn(part);
  if (found) return found;
  const made: JsonObject = {};
  for (const inner of parametersOf(part, 'part')) {
    const { name } = inner;
    const given = givenValue(inner);
    if (name === '__proto__') throw badRequest('a part of the patch names a member that no resource has', 'structure');
    if (given && typeof name === 'string') made[name] = given.value;
  }
  return { member: 'value', value: made };
}

function parametersOf(object: JsonObject, member = 'parameter'): JsonObject[] {
  const list = object[member];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
