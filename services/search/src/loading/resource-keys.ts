/** An index of PostgreSQL holds about 2,700 bytes of a key. */
const maxKeyLength = 600;

/**
 * Returns the keys by which references of a bundle can name a resource, the most reliable first. Keys that are too long
 * are left out.
 */
export function resourceKeys(type: string, fullUrl: string | undefined, id: string | undefined): string[] {
  return [
    ...new Set([fullUrl, id && `${type}/${id}`].filter((key): key is string => !!key && key.length <= maxKeyLength)),
  ];
}

const relative = /^[A-Z][A-Za-z]*\/[A-Za-z0-9.-]{1,64}$/;
const restful = /^(https?:\/\/.+\/)[A-Z][A-Za-z]*\/[A-Za-z0-9.-]{1,64}$/;

/**
 * Returns the keys that a reference can mean, the most reliable first. A relative reference is resolved against the
 * base of the referring resource.
 * @see https://hl7.org/fhir/R4/bundle.html#references
 */
export function referencedKeys(reference: string, referrerFullUrl: string | undefined): string[] {
  const plain = reference.trim().replace(/\/_history\/[A-Za-z0-9.-]+$/, '');
  if (!relative.test(plain)) return plain === '' || plain.startsWith('#') ? [] : [plain];
  const [, base] = restful.exec(referrerFullUrl ?? '') ?? [];
  return base === undefined ? [plain] : [base + plain, plain];
}
