/** A SMART scope that grants access to resources, for example `patient/Observation.rs?category=laboratory`. */
export interface ResourceScope {
  /** As it was written. */
  value: string;
  context: 'patient' | 'user' | 'system';
  /** A resource type, or `*`. */
  type: string;
  /** `v1`: `.read`, `.write`, `.*`. `v2`: a subset of `.cruds`. */
  syntax: 'v1' | 'v2';
  read: boolean;
  search: boolean;
  /** The query of a granular scope: it grants access to the resources that this search matches. */
  parameters?: URLSearchParams;
}

/** The access that a set of scopes grants to the resources of one type. */
export interface TypeAccess {
  read: boolean;
  search: boolean;
  /**
   * The searches whose results may be accessed, as alternatives. Empty when the access is not restricted. When `search`
   * is true they restrict the searches, otherwise the reads.
   */
  parameters: URLSearchParams[];
}

const resourceScope = /^(patient|user|system)\/(\*|[A-Z][A-Za-z]*)\.(read|write|\*|[cruds]+)(?:\?(.*))?$/;

/**
 * Parses a scope for resources in the syntax of SMART 1 or SMART 2. The interactions of SMART 2 are accepted in any
 * order, although the specification prescribes one.
 * @returns undefined for every other scope, for example `launch/patient`, `openid` and `offline_access`
 * @see https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html
 */
export function parseResourceScope(value: string): ResourceScope | undefined {
  const [, context, type, interactions, query] = resourceScope.exec(value) ?? [];
  if (context === undefined || type === undefined || interactions === undefined) return undefined;
  const isFirstVersion = interactions === 'read' || interactions === 'write' || interactions === '*';
  const isReadInFirstVersion = interactions === 'read' || interactions === '*';
  return {
    value,
    context: context as ResourceScope['context'],
    type,
    syntax: isFirstVersion ? 'v1' : 'v2',
    read: isFirstVersion ? isReadInFirstVersion : interactions.includes('r'),
    search: isFirstVersion ? isReadInFirstVersion : interactions.includes('s'),
    ...(query ? { parameters: new URLSearchParams(query) } : {}),
  };
}

/** The scopes for resources in a `scope` parameter, whose values are separated by spaces (RFC 6749, section 3.3). */
export function resourceScopesOf(scope: string): ResourceScope[] {
  return scope.split(/\s+/).flatMap((value) => parseResourceScope(value) ?? []);
}

/** The access that the scopes of the contexts `patient` and `user` grant together to one resource type. */
export function accessToType(scopes: readonly ResourceScope[], type: string): TypeAccess {
  const granting = scopes.filter(
    (scope) =>
      scope.context !== 'system' && (scope.type === type || scope.type === '*') && (scope.read || scope.search),
  );
  const read = granting.some((scope) => scope.read);
  const search = granting.some((scope) => scope.search);
  const restricting = search ? granting.filter((scope) => scope.search) : granting;
  if (restricting.some(({ parameters }) => parameters === undefined)) return { read, search, parameters: [] };
  const distinct = new Map(
    restricting.flatMap(({ parameters }) => (parameters ? [[parameters.toString(), parameters] as const] : [])),
  );
  return { read, search, parameters: [...distinct.values()] };
}
