import { elementModel } from '@tributary/fhir-definitions';
import { type JsonObject, type JsonValue, type Resource, isJsonObject } from '@tributary/fhir-json';
import { FhirError, badRequest } from '../../fhir-http/fhir-error';

/** The location of a value: its container, and its member name or index in the container. */
export interface Location {
  readonly container: JsonObject | JsonValue[];
  readonly key: string | number;
  /** The type of the parent element. */
  readonly parentType: string;
}

/** An element of a resource. The resource itself has no location. */
export interface Element {
  readonly value: JsonValue;
  readonly type: string;
  readonly location: Location | undefined;
}

interface Step {
  readonly name?: string;
  readonly index?: number;
  readonly last?: true;
  readonly where?: readonly Condition[];
}

interface Condition {
  readonly path: readonly string[];
  readonly equals: string;
}

/**
 * The elements that the path of a FHIRPath Patch selects (https://hl7.org/fhir/R4/fhirpatch.html). The supported subset
 * of FHIRPath is element names, `[index]`, `first()`, `last()` and `where(a.b = 'x' and …)`.
 * @throws FhirError 400 for any other expression
 */
export function locate(resource: Resource, path: string): Element[] {
  const all = steps(path);
  const root: Element = { value: resource, type: resource.resourceType, location: undefined };
  return all.slice(all[0]?.name === resource.resourceType ? 1 : 0).reduce<Element[]>(advance, [root]);
}

function advance(from: readonly Element[], { name, index, last, where }: Step): Element[] {
  if (name !== undefined) return from.flatMap((element) => children(element, name));
  if (last) return from.slice(-1);
  if (index !== undefined) return from.slice(index, index + 1);
  return from.filter((element) => where?.every((condition) => holds(element, condition)));
}

function holds(element: Element, { path, equals }: Condition): boolean {
  const found = path.reduce<Element[]>((elements, part) => elements.flatMap((each) => children(each, part)), [element]);
  return found.some(({ value }) => String(value) === equals);
}

/** The children of an element by name. The name of a choice element has no type suffix. */
export function children({ value, type }: Element, name: string): Element[] {
  if (!isJsonObject(value)) return [];
  const model = elementModel('r4').type(type);
  const property = Object.hasOwn(value, name)
    ? name
    : Object.keys(value).find((key) => model?.properties.get(key)?.element.name === name);
  const child = property === undefined ? undefined : value[property];
  if (property === undefined || child === undefined || child === null) return [];
  const childType = model?.properties.get(property)?.type.code ?? '';
  const element = (item: JsonValue, location: Location): Element => ({
    value: item,
    type: resourceTypeOf(item) ?? childType,
    location,
  });
  return Array.isArray(child)
    ? child.map((item, key) => element(item, { container: child, key, parentType: type }))
    : [element(child, { container: value, key: property, parentType: type })];
}

function resourceTypeOf(value: JsonValue): string | undefined {
  return isJsonObject(value) && typeof value['resourceType'] === 'string' ? value['resourceType'] : undefined;
}

const token =
  /^\s*(?:(?<name>[A-Za-z_]\w*)(?![\w(])|\[\s*(?<index>\d{1,6})\s*\]|(?<call>first|last)\(\s*\)|where\((?<where>(?:[^()']|'(?:[^'\\]|\\.)*')*)\))\s*/;

function steps(path: string): Step[] {
  const found: Step[] = [];
  let rest = path;
  while (rest !== '') {
    const match = token.exec(rest);
    if (!match?.groups) throw unsupported();
    const { name, index, call, where } = match.groups;
    if (name !== undefined) found.push({ name });
    else if (index !== undefined) found.push({ index: Number(index) });
    else if (call !== undefined) found.push(call === 'first' ? { index: 0 } : { last: true });
    else found.push({ where: conditions(where ?? '') });
    rest = rest.slice(match[0].length);
    if (rest.startsWith('.')) rest = rest.slice(1);
    else if (rest !== '' && !rest.startsWith('[')) throw unsupported();
  }
  if (found.length === 0) throw unsupported();
  return found;
}

const condition = /^\s*([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|([\w.-]+))\s*/;

function conditions(text: string): Condition[] {
  const found: Condition[] = [];
  let rest = text;
  for (;;) {
    const [whole, path, quoted, plain] = condition.exec(rest) ?? [];
    if (whole === undefined || path === undefined) throw unsupported();
    found.push({ path: path.split('.'), equals: quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '' });
    rest = rest.slice(whole.length);
    if (rest === '') return found;
    if (!rest.startsWith('and ')) throw unsupported();
    rest = rest.slice(4);
  }
}

function unsupported(): FhirError {
  return badRequest(
    'a path of the patch is not made of element names, indexes, first(), last() and where() with simple comparisons',
    'structure',
  );
}
