import { isNode } from './json';

/** Base64 content above this length is left out of answers. */
const maxDataLength = 200;

/**
 * A resource without what a model has no use for: generated narratives, encoded content, versions. What is left out is
 * replaced by a sentence, or is in every resource.
 */
export function reduceResource(value: unknown, path = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => reduceResource(each, path));
  if (!isNode(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, element]) => {
      if (name === 'text' && isNode(element) && typeof element['div'] === 'string') return [];
      if (name === 'meta' && path === '' && isNode(element)) return reduceMeta(element);
      if ((name === 'data' || name === 'content') && typeof element === 'string' && element.length > maxDataLength)
        return [[name, `(${element.length} characters of base64 are left out; use read_document)`]];
      return [[name, reduceResource(element, `${path}.${name}`)]];
    }),
  );
}

function reduceMeta(meta: Record<string, unknown>): [string, unknown][] {
  const { source, security } = meta;
  const kept = Object.fromEntries(Object.entries({ source, security }).filter(([, value]) => value !== undefined));
  return Object.keys(kept).length === 0 ? [] : [['meta', kept]];
}
