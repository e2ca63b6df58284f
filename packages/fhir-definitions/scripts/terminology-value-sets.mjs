// The value sets of a release whose codes follow from its own publications.

/**
 * By the URL of a value set: the code system whose codes it has all, or what it includes and excludes. Value sets that
 * select codes of an external code system (such as a part of SNOMED CT) are left out.
 */
export function usableValueSets(resources, systems) {
  const all = new Map(
    resources
      .filter(({ resourceType, compose }) => resourceType === 'ValueSet' && compose)
      .map((resource) => [resource.url, resource]),
  );
  const usable = new Map();
  const known = (url, seen) => {
    if (usable.has(url)) return usable.get(url) !== undefined;
    const valueSet = all.get(url);
    if (!valueSet || seen.has(url)) return false;
    const definition = definitionOf(valueSet);
    const inner = new Set(seen).add(url);
    const ok =
      definition !== undefined &&
      [...definition.include, ...(definition.exclude ?? [])].every(
        (part) => isKnown(part, systems) && (part.valueSets ?? []).every((each) => known(each, inner)),
      );
    usable.set(url, ok ? compact(definition) : undefined);
    return ok;
  };
  for (const url of all.keys()) known(url, new Set());
  return Object.fromEntries([...usable].filter(([, definition]) => definition !== undefined));
}

function definitionOf({ compose }) {
  const include = [
    ...(compose.import ?? []).map((url) => ({ valueSets: [url] })),
    ...(compose.include ?? []).map(part),
  ];
  const exclude = (compose.exclude ?? []).map(part);
  return [...include, ...exclude].includes(undefined) ? undefined : { include, ...(exclude.length > 0 && { exclude }) };
}

function part({ system, concept, filter = [], valueSet }) {
  const filters = filter.map(({ property, op, value }) =>
    property === 'concept' && ['is-a', 'descendent-of', 'is-not-a'].includes(op) ? [op, value] : undefined,
  );
  if (filters.includes(undefined)) return undefined;
  return {
    ...(system && { system }),
    ...(concept && { codes: concept.map(({ code }) => code) }),
    ...(filters.length > 0 && { filters }),
    ...(valueSet && { valueSets: [valueSet].flat().map((url) => url.split('|')[0]) }),
  };
}

const isKnown = ({ system, filters }, systems) => !filters || systems[system] !== undefined;

/** A complete code system is represented by its URL. */
function compact(definition) {
  const [only, ...others] = definition.include;
  const whole = others.length === 0 && !definition.exclude && Object.keys(only ?? {}).join() === 'system';
  return whole ? only.system : definition;
}
