import { readSystemScope } from '@tributary/contracts';
import { isResourceType, releases } from '@tributary/fhir-definitions';
import { badRequest } from '@tributary/service-kit';

/** The scopes of clients themselves that stand for all types; those of one type are like them. */
export const systemScopes = ['system/*.read', 'system/*.rs'];

/**
 * The scope that a client asks for itself, each value once.
 * @throws HttpError 400 invalid_scope for none, and for everything but reading resources of types that FHIR knows
 */
export function requestedSystemScope(scope: string | undefined): string {
  if (!scope)
    throw badRequest(
      `scope is missing: ask for ${systemScopes.join(' or ')}, or for types as in system/Patient.rs`,
      'invalid_scope',
    );
  const access = readSystemScope(scope);
  if (!access)
    throw badRequest(
      `scope: ${systemScopes.join(', ')} and the same of types, as in system/Patient.rs, are supported`,
      'invalid_scope',
    );
  if (access.types?.every(isKnown) === false)
    throw badRequest('scope: names a resource type that FHIR does not know', 'invalid_scope');
  return [...new Set(scope.split(' '))].join(' ');
}

function isKnown(type: string): boolean {
  return releases.some((release) => isResourceType(release, type));
}
