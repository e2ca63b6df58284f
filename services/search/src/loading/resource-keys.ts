/** A resource of a bundle by the names under which others can refer to it, the surest first. */
export function resourceKeys(type: string, fullUrl: string | undefined, id: string | undefined): string[] {
  return [...new Set([fullUrl, id && `${type}/${id}`].filter((name): name is string => !!name))];
}

const relative = /^[A-Z][A-Za-z]*\/[A-Za-z0-9.-]{1,64}$/;
const restful = /^(https?:\/\/.+\/)[A-Z][A-Za-z]*\/[A-Za-z0-9.-]{1,64}$/;

/**
 * The names a reference can mean, the surest first (FHIR, "Resolving references in Bundles"): a relative one is seen from the
 * address of the resource that refers. An absolute one means nothing but itself.
 */
export function referencedKeys(reference: string, fullUrlOfReferrer: string | undefined): string[] {
  const plain = reference.trim().replace(/\/_history\/[A-Za-z0-9.-]+$/, '');
  if (!relative.test(plain)) return plain === '' || plain.startsWith('#') ? [] : [plain];
  const [, base] = restful.exec(fullUrlOfReferrer ?? '') ?? [];
  return base === undefined ? [plain] : [base + plain, plain];
}
