import { z } from 'zod';

/** The authorization server of a FHIR endpoint, as discovered. */
export const authorizationServer = z.object({
  authorizationEndpoint: z.string(),
  tokenEndpoint: z.string(),
  /** Of RFC 7009. */
  revocationEndpoint: z.string().optional(),
  /** Of OpenID Connect. */
  userinfoEndpoint: z.string().optional(),
  issuer: z.string().optional(),
  scopesSupported: z.array(z.string()).optional(),
  /** Of SMART App Launch, for example `permission-v2`. */
  capabilities: z.array(z.string()).optional(),
  /** The announced methods of client authentication. */
  authMethods: z.array(z.string()).optional(),
  /** The algorithms that the server accepts for client assertions. */
  signingAlgorithms: z.array(z.string()).optional(),
});
export type AuthorizationServer = z.output<typeof authorizationServer>;

/** Statuses of the range 4xx after which the same request may succeed later. */
export const transientClientErrors: ReadonlySet<number> = new Set([408, 425, 429]);

/** Parses JSON from a health system, with or without a byte order mark. @returns undefined when it is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** The `error` of an OAuth error response (RFC 6749, section 5.2), if it has one. */
export function errorCodeOf(body: unknown): string | undefined {
  const parsed = z.object({ error: z.string().regex(/^[a-z_]{1,60}$/) }).safeParse(body);
  return parsed.success ? parsed.data.error : undefined;
}
