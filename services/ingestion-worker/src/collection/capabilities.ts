import { type JsonValue, isJsonObject, parseJson } from '@tributary/fhir-json';

/** What a health system says it can do, as far as collecting needs it. */
export interface Capabilities {
  /** Names of software and publisher, for facts known of a vendor. */
  software: string;
  /** Types it lets be searched, with the search parameters it names for each. */
  searchable: Map<string, Set<string>>;
}

/** Reads a Conformance or CapabilityStatement; undefined when the body is neither. */
export function readCapabilities(body: Buffer): Capabilities | undefined {
  let statement: JsonValue;
  try {
    statement = parseJson(body.toString('utf8'));
  } catch {
    return undefined;
  }
  if (
    !isJsonObject(statement) ||
    (statement['resourceType'] !== 'Conformance' && statement['resourceType'] !== 'CapabilityStatement')
  )
    return undefined;
  const software = isJsonObject(statement['software']) ? statement['software']['name'] : undefined;
  const capabilities: Capabilities = {
    software: [software, statement['publisher']].filter((name) => typeof name === 'string').join(' '),
    searchable: new Map(),
  };
  for (const rest of objects(statement['rest'])) {
    for (const resource of objects(rest['resource'])) {
      const type = resource['type'];
      if (typeof type !== 'string') continue;
      const interactions = new Set(objects(resource['interaction']).map((interaction) => interaction['code']));
      const parameters = objects(resource['searchParam']).flatMap(({ name }) =>
        typeof name === 'string' ? [name] : [],
      );
      const isSearchable = interactions.has('search-type') || (interactions.size === 0 && parameters.length > 0);
      if (isSearchable) capabilities.searchable.set(type, new Set(parameters));
    }
  }
  return capabilities;
}

function objects(value: JsonValue | undefined): { [name: string]: JsonValue | undefined }[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
