import { z } from 'zod';
import { type AuthorizationServer, parsedJson } from './authorization-server';

/** A list that is wrong is as good as none: it is only advice. */
const texts = z.array(z.string()).optional().catch(undefined);

const document = z.object({
  authorization_endpoint: z.string().min(1),
  token_endpoint: z.string().min(1),
  issuer: z.string().optional().catch(undefined),
  revocation_endpoint: z.string().min(1).optional().catch(undefined),
  scopes_supported: texts,
  token_endpoint_auth_signing_alg_values_supported: texts,
});

/** Reads `.well-known/smart-configuration` (SMART App Launch 2). @returns undefined when it does not name both endpoints */
export function readSmartConfiguration(text: string): AuthorizationServer | undefined {
  const parsed = document.safeParse(parsedJson(text));
  if (!parsed.success) return undefined;
  return {
    authorizationEndpoint: parsed.data.authorization_endpoint,
    tokenEndpoint: parsed.data.token_endpoint,
    revocationEndpoint: parsed.data.revocation_endpoint,
    issuer: parsed.data.issuer,
    scopesSupported: parsed.data.scopes_supported,
    signingAlgorithms: parsed.data.token_endpoint_auth_signing_alg_values_supported,
  };
}
