import { z } from 'zod';

/** A token bucket holds `quota` tokens, and gets `quota` new ones in `windowSeconds` seconds, one after the other. */
export interface LimitPolicy {
  readonly quota: number;
  readonly windowSeconds: number;
}

interface DefaultPolicy {
  readonly policy: LimitPolicy;
  /** What is counted. */
  readonly counts: string;
}

const policyOf = (quota: number, windowSeconds: number, counts: string): DefaultPolicy => ({
  policy: { quota, windowSeconds },
  counts,
});

/** The rate limits of all services, by the names that the field `RateLimit-Policy` of responses has. */
export const defaultPolicies = {
  'audit-client': policyOf(600, 60, 'requests of a client for the audit events of all of its users'),
  'audit-user': policyOf(600, 60, 'requests of a user for audit events'),
  'connect-address': policyOf(120, 60, 'requests of an address to begin and to finish connecting'),
  'connect-page': policyOf(1200, 60, 'requests of an address to the connect pages, which ask for progress'),
  'connect-user': policyOf(30, 600, 'connects that a user may begin; without Redis none can begin'),
  'connections-client': policyOf(60_000, 60, 'requests of a client and all of its users to the connections routes'),
  'connections-user': policyOf(6000, 60, 'requests of a user to the connections routes'),
  'console-address': policyOf(600, 60, 'requests of an address to the developer console'),
  'console-anonymous': policyOf(
    60,
    60,
    'requests of an address to the routes of the developer console that need no session, such as signing in',
  ),
  'console-failed-account': policyOf(
    10,
    900,
    'wrong passwords and codes of an account of the developer console; further attempts are refused, right ones too',
  ),
  'console-failed-address': policyOf(
    50,
    900,
    'wrong passwords and codes of any accounts of the developer console from one address; further attempts are refused',
  ),
  'console-invitations': policyOf(50, 3600, 'invitations of a developer to organisations of the developer console'),
  'console-mail': policyOf(
    5,
    3600,
    'mails to one address that signing up, forgotten passwords and invitations cause; further ones are not sent',
  ),
  download: policyOf(6000, 60, 'downloads of files and attachments of a user, or of a client for all of its users'),
  export: policyOf(60, 600, 'exports that a user, or a client for all of its users, may request'),
  'export-status': policyOf(
    6000,
    60,
    'requests for the status of exports, and their deletions, of a user, or of a client for all of its users',
  ),
  'failed-address': policyOf(
    100,
    600,
    'wrong credentials of any clients from one address; each further one delays the next attempt, as those of failed-pair do',
  ),
  'failed-client': policyOf(
    1000,
    600,
    'wrong credentials of a client from any addresses; further ones delay attempts from addresses at which the client has not succeeded in 30 days',
  ),
  'failed-pair': policyOf(
    5,
    3600,
    'wrong credentials of a client from one address; each further one delays the next attempt, by 1 s at first and 900 s at most',
  ),
  'failed-tokens': policyOf(
    6000,
    60,
    'requests of an address whose access token is not valid; further tokens from the address are not looked up',
  ),
  'fhir-client': policyOf(600_000, 60, 'requests of all users of a client to the FHIR API'),
  'fhir-user': policyOf(
    6000,
    60,
    'requests of a user to the FHIR API; `$everything` counts as 10, a history as 2, a Bundle as a tenth of its entries',
  ),
  'mcp-user': policyOf(600, 60, 'requests of a user to /mcp'),
  'refresh-client': policyOf(600, 60, 'requests to collect connections of any user of a client again'),
  'refresh-connection': policyOf(6, 3600, 'requests to collect a connection again'),
  'search-client': policyOf(30_000, 60, 'searches of all users of a client'),
  'search-user': policyOf(300, 60, 'searches of a user'),
  'tokens-address': policyOf(6000, 60, 'requests of an address to the token, revocation and introspection endpoints'),
  'tokens-client': policyOf(
    6000,
    60,
    'requests of a client to the token, revocation and introspection endpoints, and to client management',
  ),
  'usage-client': policyOf(120, 60, 'requests of a client for its use of limits, which count for no other limit'),
  'webhook-test': policyOf(60, 60, 'tests and replays of webhooks of a client'),
} as const;

export type LimitName = keyof typeof defaultPolicies;

/** The policy of each limit; undefined where the operator has switched the limit off. */
export type LimitPolicies = Readonly<Record<LimitName, LimitPolicy | undefined>>;

const changePattern = /^([a-z-]+)=(?:off|([1-9]\d{0,8})\/([1-9]\d{0,5}))$/;

/** The environment variable of services that limit requests. */
export const rateLimitConfig = z.object({
  RATE_LIMITS: z
    .string()
    .default('')
    .transform((text, context) => {
      const policies: Record<string, LimitPolicy | undefined> = Object.fromEntries(
        Object.entries(defaultPolicies).map(([name, { policy }]) => [name, policy]),
      );
      for (const change of text.split(/[\s,]+/).filter(Boolean)) {
        const [, name = '', quota, windowSeconds] = changePattern.exec(change) ?? [];
        if (Object.hasOwn(policies, name))
          policies[name] =
            quota === undefined ? undefined : { quota: Number(quota), windowSeconds: Number(windowSeconds) };
        else
          context.addIssue({
            code: 'custom',
            message: `must list <limit>=<requests>/<seconds> or <limit>=off, such as fhir-user=6000/60; the limits are ${Object.keys(policies).join(', ')}`,
          });
      }
      return policies as LimitPolicies;
    })
    .describe('changes of the rate limits below, such as fhir-user=12000/60,mcp-user=off'),
});
