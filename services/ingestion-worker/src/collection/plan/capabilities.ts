import { type JsonValue, isJsonObject, parseJson } from '@tributary/fhir-json';

/**
 * The parts of a CapabilityStatement (https://hl7.org/fhir/R4/capabilitystatement.html; Conformance in DSTU2) that
 * collecting needs.
 */
export interface Capabilities {
  /** `software.name` and `publisher`, to recognize the vendor. */
  software: string;
  /** The searchable types, with their search parameters. */
  searchable: Map<string, Set<string>>;
  /** The types that can be read by id, but not searched. */
  readOnly: Set<string>;
  /** The types whose searches can include the Provenance of the results (`_revinclude=Provenance:target`). */
  includesProvenance: Set<string>;
  /** The types whose reads support `If-Modified-Since` (https://hl7.org/fhir/R4/http.html#cread). */
  conditionalReads: Set<string>;
}

/** Parses a Conformance or CapabilityStatement; undefined when the body is neither. */
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
    readOnly: new Set(),
    includesProvenance: new Set(),
    conditionalReads: new Set(),
  };
  for (const rest of objects(statement['rest'])) {
    for (const resource of objects(rest['resource'])) {
      const type = resource['type'];
      if (typeof type !== 'string') continue;
      if (['modified-since', 'full-support'].includes(String(resource['conditionalRead'])))
        capabilities.conditionalReads.add(type);
      const interactions = new Set(objects(resource['interaction']).map((interaction) => interaction['code']));
      const parameters = objects(resource['searchParam']).flatMap(({ name }) =>
        typeof name === 'string' ? [name] : [],
      );
      const isSearchable = interactions.has('search-type') || (interactions.size === 0 && parameters.length > 0);
      if (!isSearchable && interactions.has('read')) capabilities.readOnly.add(type);
      if (!isSearchable) continue;
      capabilities.searchable.set(type, new Set(parameters));
      const included = resource['searchRevInclude'];
      if (Array.isArray(included) && included.includes('Provenance:target')) capabilities.includesProvenance.add(type);
    }
  }
  return capabilities;
}

function objects(value: JsonValue | undefined): { [name: string]: JsonValue | undefined }[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
