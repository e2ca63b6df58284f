import { type TypeAccess, accessToType, resourceScopesOf } from '@tributary/contracts';

/**
 * The access that the granted scopes give to each resource type; none to a type that the user has not consented to,
 * whatever was granted. Scopes that name no resource type limit nothing: some
 * servers grant everything without naming it.
 * @param consented null: all types
 * @see https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html
 */
export function grantedAccess(scope: string, consented: readonly string[] | null): (type: string) => TypeAccess {
  const scopes = resourceScopesOf(scope);
  const isLimited = scopes.some(({ context, read, search }) => context !== 'system' && (read || search));
  return (type) => {
    const isConsented = consented?.includes(type) ?? true;
    if (isConsented && isLimited) return accessToType(scopes, type);
    return { read: isConsented, search: isConsented, parameters: [] };
  };
}
