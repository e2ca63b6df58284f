/** What discovery found out about the authorization server of a FHIR endpoint. */
export interface AuthorizationServer {
  authorizationEndpoint: string;
  tokenEndpoint: string;
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
