import { z } from 'zod';

/** What discovery found out about the authorization server of a FHIR endpoint. */
export interface AuthorizationServer {
  authorizationEndpoint: string;
  tokenEndpoint: string;
  /** RFC 7009. */
  revocationEndpoint?: string | undefined;
  issuer?: string | undefined;
  scopesSupported?: string[] | undefined;
  signingAlgorithms?: string[] | undefined;
}

/** A document that may be anything: its JSON, or undefined. Some health systems send a byte order mark. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** The OAuth error code of a refusal, when it names one. */
export function errorCodeOf(body: unknown): string | undefined {
  const parsed = z.object({ error: z.string().regex(/^[a-z_]{1,60}$/) }).safeParse(body);
  return parsed.success ? parsed.data.error : undefined;
}
