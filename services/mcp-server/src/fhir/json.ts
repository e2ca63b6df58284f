/** An object of a resource. Resources of health systems are stored as received, so every element can have any shape. */
export type Node = Readonly<Record<string, unknown>>;

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of property names; of an array on the way, the first element. */
export function at(value: unknown, ...path: string[]): unknown {
  let here = value;
  for (const name of path) {
    const node: unknown = Array.isArray(here) ? here[0] : here;
    here = isNode(node) ? node[name] : undefined;
  }
  return here;
}

/** The text at a path, without surrounding white space; undefined when there is none. */
export function textAt(value: unknown, ...path: string[]): string | undefined {
  const found = at(value, ...path);
  const text: unknown = Array.isArray(found) ? found[0] : found;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : undefined;
}

export function numberAt(value: unknown, ...path: string[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

/** The objects at a path, where one object stands for a list of one. */
export function nodesAt(value: unknown, ...path: string[]): Node[] {
  const found = at(value, ...path);
  return (Array.isArray(found) ? found : [found]).filter(isNode);
}

/** The text, cut off after `limit` characters. */
export function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).trimEnd()}…`;
}
