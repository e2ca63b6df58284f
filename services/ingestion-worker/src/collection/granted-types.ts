import { type TypeAccess, accessToType, resourceScopesOf } from '@tributary/contracts';

/**
 * The access that the granted scopes give to each resource type. Scopes that name no resource type limit nothing: some
 * servers grant everything without naming it.
 * @see https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html
 */
export function grantedAccess(scope: string): (type: string) => TypeAccess {
  const scopes = resourceScopesOf(scope);
  const isLimited = scopes.some(({ context, read, search }) => context !== 'system' && (read || search));
  return (type) => (isLimited ? accessToType(scopes, type) : { read: true, search: true, parameters: [] });
}
