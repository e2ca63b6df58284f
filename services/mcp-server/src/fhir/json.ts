import { decimalText, decimalValue, isDecimal, isJsonObject } from '@tributary/fhir-json';

/** An object of a resource. Resources of health systems are stored as received, so every element can have any shape. */
export type Node = Readonly<Record<string, unknown>>;

/** The value at a path of property names; of an array on the way, the first element. */
export function at(value: unknown, ...path: string[]): unknown {
  let here = value;
  for (const name of path) {
    const node: unknown = Array.isArray(here) ? here[0] : here;
    here = isJsonObject(node) ? node[name] : undefined;
  }
  return here;
}

/** The text at a path, without surrounding white space; undefined when there is none. */
export function textAt(value: unknown, ...path: string[]): string | undefined {
  const found = at(value, ...path);
  const text: unknown = Array.isArray(found) ? found[0] : found;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
}

/** The number at a path, for calculation. */
export function numberAt(value: unknown, ...path: string[]): number | undefined {
  const found = at(value, ...path);
  return isDecimal(found) && Number.isFinite(decimalValue(found)) ? decimalValue(found) : undefined;
}

/** The number at a path with all its digits, which are significant: https://hl7.org/fhir/R4/datatypes.html#decimal */
export function decimalAt(value: unknown, ...path: string[]): string | undefined {
  const found = at(value, ...path);
  return isDecimal(found) ? decimalText(found) : undefined;
}

/** The objects at a path, where one object stands for a list of one. */
export function nodesAt(value: unknown, ...path: string[]): Node[] {
  const found = at(value, ...path);
  return (Array.isArray(found) ? found : [found]).filter(isJsonObject);
}

/** The text, cut off after `limit` characters. */
export function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).trimEnd()}…`;
}
