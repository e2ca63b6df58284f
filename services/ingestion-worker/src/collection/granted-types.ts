/**
 * Which resource types the scopes granted by a health system let be read; undefined when all of the patient's are (`patient/*.read`, `patient/*.rs`),
 * or when the scopes name no type at all.
 */
export function grantedTypes(scope: string): Set<string> | undefined {
  const types = new Set<string>();
  for (const word of scope.split(/\s+/)) {
    const [, type, permission] = /^(?:patient|user)\/(\*|[A-Za-z]+)\.(read|\*|[cruds]+)(?:\?.*)?$/.exec(word) ?? [];
    if (!type || !permission || !/^(read|\*|c?r)/.test(permission)) continue;
    if (type === '*') return undefined;
    types.add(type);
  }
  return types.size > 0 ? types : undefined;
}
