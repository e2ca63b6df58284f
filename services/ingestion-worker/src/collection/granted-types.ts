/**
 * The resource types that the granted scopes allow to read; undefined when they allow all (`patient/*.read`,
 * `patient/*.rs`), or name no type. Supports both versions of SMART scopes:
 * https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html
 */
export function grantedTypes(scope: string): Set<string> | undefined {
  const types = new Set<string>();
  for (const token of scope.split(/\s+/)) {
    const [, type, permission] = /^(?:patient|user)\/(\*|[A-Za-z]+)\.(read|\*|[cruds]+)(?:\?.*)?$/.exec(token) ?? [];
    if (!type || !permission || !/^(read|\*|c?r)/.test(permission)) continue;
    if (type === '*') return undefined;
    types.add(type);
  }
  return types.size > 0 ? types : undefined;
}
