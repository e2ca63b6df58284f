const ID = '[A-Za-z0-9\\-.]{1,64}';
const LOGICAL_ID = new RegExp(`^${ID}$`);
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const REFERENCE = new RegExp(
  `^([^?#\\s]*/)?([A-Z][A-Za-z]{1,63})(?:/(${ID})(?:/_history/(${ID}))?(#\\S*)?|(\\?\\S+))$`,
);

/** A reference that names a resource type: https://hl7.org/fhir/R4/references.html#literal. */
export interface RestfulReference {
  /** The base URL with its trailing slash; empty when the reference is relative. */
  readonly base: string;
  /** A name in the form of a resource type. No release needs to have it. */
  readonly type: string;
  /** Undefined for a conditional reference (`Patient?identifier=x`). */
  readonly id: string | undefined;
  readonly version: string | undefined;
  /** The fragment with its `#`. */
  readonly fragment: string | undefined;
}

/** Whether a text is a logical id: https://hl7.org/fhir/R4/datatypes.html#id. */
export function isLogicalId(text: string): boolean {
  return LOGICAL_ID.test(text);
}

/** Whether a text is a UUID in lower case (RFC 9562). */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/**
 * Parses `Type/id`, `Type/id/_history/version` and `Type?query`, relative or below a base URL.
 * @returns undefined for other references: `#contained`, `urn:…`, and URLs of another form
 */
export function parseReference(text: string): RestfulReference | undefined {
  const match = REFERENCE.exec(text);
  if (match === null) return undefined;
  const [, base = '', type = '', id, version, fragment] = match;
  return { base, type, id, version, fragment };
}
