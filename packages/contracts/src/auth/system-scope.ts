/** What a client may read of all of its users (SMART Backend Services). */
export interface SystemAccess {
  /** Only these resource types; absent for all. */
  types?: readonly string[];
}

const systemRead = /^system\/(\*|[A-Z][A-Za-z]*)\.(?:read|rs)$/;

/**
 * What the scope of a client's own token lets it read: `system/*.read` and `system/Patient.read`, or with `.rs` as SMART 2 spells it.
 * @returns undefined when a value of the scope is something else, or there is none
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
