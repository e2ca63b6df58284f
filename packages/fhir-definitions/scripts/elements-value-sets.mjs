// Expands value sets to their codes as far as the available code systems allow it.

/**
 * Returns a function from the URL of a value set to { system: [codes] }, or to undefined when it cannot be expanded
 * completely.
 */
export function valueSetExpander(terminology) {
  const valueSets = new Map();
  const systems = new Map();
  for (const resource of terminology) {
    if (resource.resourceType === 'ValueSet') valueSets.set(resource.url, resource);
    if (resource.resourceType === 'CodeSystem' && resource.content === 'complete') systems.set(resource.url, resource);
  }

  return (url) => {
    const codes = expand(url, new Set());
    if (!codes) return undefined;
    const bySystem = {};
    for (const [system, members] of codes) if (members.size > 0) bySystem[system] = [...members].sort();
    return Object.keys(bySystem).length > 0 ? bySystem : undefined;
  };

  function expand(url, seen) {
    const valueSet = valueSets.get(url);
    if (!valueSet?.compose || seen.has(url)) return undefined;
    const inner = new Set(seen).add(url);
    const result = new Map();
    for (const include of valueSet.compose.include ?? []) {
      const part = component(include, inner);
      if (!part) return undefined;
      for (const [system, codes] of part) result.set(system, union(result.get(system), codes));
    }
    for (const exclude of valueSet.compose.exclude ?? []) {
      const part = component(exclude, inner);
      if (!part) return undefined;
      for (const [system, codes] of part) for (const code of codes) result.get(system)?.delete(code);
    }
    return result;
  }

  /** The codes of one include: those of its system that are in all of its value sets. */
  function component(include, seen) {
    const parts = [include.valueSet ?? []].flat().map((url) => expand(url.split('|')[0], seen));
    if (include.system) parts.push(ofSystem(include));
    if (parts.length === 0 || parts.includes(undefined)) return undefined;
    return parts.reduce(intersection);
  }

  function ofSystem({ system, concept, filter }) {
    if (concept) return new Map([[system, new Set(concept.map(({ code }) => code))]]);
    const tree = systems.get(system);
    if (!tree) return undefined;
    const concepts = flatten(tree.concept ?? []);
    const chosen = (filter ?? []).reduce(
      (left, { property, op, value }) => left && matching(left, property, op, value),
      concepts,
    );
    return chosen && new Map([[system, new Set(chosen.map(({ code }) => code))]]);
  }
}

function matching(concepts, property, op, value) {
  if (property !== 'concept' || (op !== 'is-a' && op !== 'descendent-of')) return undefined;
  const below = new Set(op === 'is-a' ? [value] : []);
  const known = new Set([value]);
  for (let size = -1; size !== known.size;) {
    size = known.size;
    for (const { code, parents } of concepts)
      if (parents.some((parent) => known.has(parent))) {
        known.add(code);
        below.add(code);
      }
  }
  return concepts.filter(({ code }) => below.has(code));
}

/** All concepts with their parents, which are given by nesting or by the property `subsumedBy` or `parent`. */
function flatten(concepts, parent) {
  return concepts.flatMap((concept) => [
    { code: concept.code, parents: [...(parent ? [parent] : []), ...namedParents(concept)] },
    ...flatten(concept.concept ?? [], concept.code),
  ]);
}

const namedParents = ({ property = [], extension = [] }) => [
  ...property.filter(({ code }) => code === 'subsumedBy' || code === 'parent').map(({ valueCode }) => valueCode),
  ...extension.filter(({ url }) => url.endsWith('codesystem-subsumes')).map(({ valueCode }) => valueCode),
];

const union = (left = new Set(), right) => new Set([...left, ...right]);

function intersection(left, right) {
  const result = new Map();
  for (const [system, codes] of left)
    result.set(system, new Set([...codes].filter((code) => right.get(system)?.has(code))));
  return result;
}
