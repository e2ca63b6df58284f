/** The resource types that a client may read of all of its users (SMART Backend Services). */
export interface SystemAccess {
  /** Absent when all types are granted. */
  types?: readonly string[];
}

const systemRead = /^system\/(\*|[A-Z][A-Za-z]*)\.(?:read|rs)$/;

/**
 * Parses a scope of SMART Backend Services: `system/*.read`, `system/Patient.read`, or `.rs` in the syntax of SMART 2
 * (https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html).
 * @returns undefined when the scope is empty or contains another value
 */
export function readSystemScope(scope: string): SystemAccess | undefined {
  const types = new Set<string>();
  for (const value of scope.split(' ')) {
    const type = systemRead.exec(value)?.[1];
    if (type === undefined) return undefined;
    types.add(type);
  }
  return types.has('*') ? {} : { types: [...types] };
}
