import type { SigningKeys } from '../client-keys/signing-keys';
import { errorCodeOf, parsedJson } from '../health-systems/authorization-server';
import { authenticate, authenticationsToTry } from '../health-systems/client-authentication';
import type { ClientRegistration } from '../health-systems/registrations';
import type { OutboundHttp } from '../outbound/outbound-http';

export interface RevocationRequest {
  revocationEndpoint: string;
  /** The audience of a client assertion. */
  tokenEndpoint: string;
  client: ClientRegistration;
  signingAlgorithms?: readonly string[] | undefined;
  /** The way of authentication that the token endpoint accepted. */
  remembered: string;
  token: string;
  hint: 'access_token' | 'refresh_token';
}

const passing = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Revokes tokens at health systems (RFC 7009). */
export class RevocationEndpoint {
  constructor(
    private readonly http: OutboundHttp,
    private readonly keys: SigningKeys,
  ) {}

  /**
   * @returns `revoked` also for a token that was not valid any more (RFC 7009, section 2.2); `refused` when another attempt would not help
   * @throws OutboundRequestFailed when the endpoint cannot be reached
   */
  async revoke({
    revocationEndpoint,
    tokenEndpoint,
    client,
    signingAlgorithms,
    remembered,
    token,
    hint,
  }: RevocationRequest): Promise<'revoked' | 'refused' | 'try again'> {
    let isOurClientRefused = false;
    for (const way of authenticationsToTry(client, signingAlgorithms, remembered)) {
      const parts = await authenticate(way, client, tokenEndpoint, this.keys);
      const { status, text } = await this.http.postForm(
        revocationEndpoint,
        { token, token_type_hint: hint, ...parts.form },
        parts.headers,
      );
      if (status >= 200 && status <= 299) return 'revoked';
      if (passing.has(status)) return 'try again';
      isOurClientRefused = status === 401 || errorCodeOf(parsedJson(text)) === 'invalid_client';
      if (!isOurClientRefused) return 'refused';
    }
    return isOurClientRefused ? 'try again' : 'refused';
  }
}
