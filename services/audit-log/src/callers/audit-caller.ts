import {
  type Authentication,
  type UserOrClient,
  insufficientScope,
  userOrClientAuthentication,
} from '@tributary/service-kit';

/** The resource type that the scope of a client's token must cover. */
const resourceType = 'AuditEvent';

/** Authenticates who reads audit events: a user those of the own record, a client those of all of its users. */
export function auditCaller(
  credentials: Parameters<typeof userOrClientAuthentication>[0],
): Authentication<UserOrClient> {
  const { scheme, authenticate } = userOrClientAuthentication(credentials, 'the headers client_id and client_secret');
  return {
    scheme,
    authenticate: async (request, requestId) => {
      const caller = await authenticate(request, requestId);
      if (caller.types?.includes(resourceType) === false)
        throw insufficientScope(`the scope of the access token does not cover ${resourceType}`);
      return caller;
    },
  };
}
