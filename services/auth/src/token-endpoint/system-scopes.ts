import { readSystemScope } from '@tributary/contracts';
import { isResourceType, releases } from '@tributary/fhir-definitions';
import { badRequest } from '@tributary/service-kit';

/** The system scopes for all resource types; each can also be requested for single types. */
export const systemScopes = ['system/*.read', 'system/*.rs'];

/**
 * Validates a requested scope and removes repeated values.
 * @throws HttpError 400 invalid_scope unless every value is a read scope for resource types of FHIR
 * @see https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html
 */
export function requestedSystemScope(scope: string | undefined): string {
  if (!scope)
    throw badRequest(
      `scope is missing: request ${systemScopes.join(' or ')}, or single types such as system/Patient.rs`,
      'invalid_scope',
    );
  const access = readSystemScope(scope);
  if (!access)
    throw badRequest(
      `scope: ${systemScopes.join(', ')}, and the same for single types such as system/Patient.rs, are supported`,
      'invalid_scope',
    );
  if (access.types?.every(isKnownType) === false)
    throw badRequest('scope: names a resource type that FHIR does not define', 'invalid_scope');
  return [...new Set(scope.split(' '))].join(' ');
}

function isKnownType(type: string): boolean {
  return releases.some((release) => isResourceType(release, type));
}
