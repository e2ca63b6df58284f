import type { SigningKeys } from '../client-keys/signing-keys';
import { errorCodeOf, parseJson, transientClientErrors } from '../health-systems/authorization-server';
import { type AuthenticationHints, authenticateClient, methodsToTry } from '../health-systems/client-authentication';
import type { ClientRegistration } from '../health-systems/registrations';
import { isAboutTheClient } from '../health-systems/token-client';
import type { OutboundHttp } from '../outbound/outbound-http';

export interface RevocationRequest extends AuthenticationHints {
  revocationEndpoint: string;
  /** The audience of a client assertion. */
  tokenEndpoint: string;
  registration: ClientRegistration;
  token: string;
  hint: 'access_token' | 'refresh_token';
}

/** `refused` when another attempt would not help. */
export type RevocationOutcome = 'revoked' | 'refused' | 'try_again';

/** Not 501: an endpoint that does not implement revocation responds in the same way to each attempt. */
const transientStatuses = new Set([...transientClientErrors, 500, 502, 503, 504]);

/** Revokes tokens at health systems (RFC 7009). */
export class RevocationClient {
  constructor(
    private readonly http: OutboundHttp,
    private readonly signingKeys: SigningKeys,
  ) {}

  /**
   * @returns `revoked` also for a token that was not valid any more (RFC 7009, section 2.2)
   * @throws OutboundRequestFailed when the endpoint cannot be reached
   */
  async revoke({
    revocationEndpoint,
    tokenEndpoint,
    registration,
    token,
    hint,
    ...hints
  }: RevocationRequest): Promise<RevocationOutcome> {
    let isOurClientRefused = false;
    for (const method of methodsToTry(registration, hints)) {
      const credentials = await authenticateClient(method, registration, tokenEndpoint, this.signingKeys);
      const { status, text } = await this.http.postForm(
        revocationEndpoint,
        { token, token_type_hint: hint, ...credentials.form },
        credentials.headers,
      );
      if (status >= 200 && status <= 299) return 'revoked';
      if (transientStatuses.has(status)) return 'try_again';
      isOurClientRefused = isAboutTheClient({ status, error: errorCodeOf(parseJson(text)) });
      if (!isOurClientRefused) return 'refused';
    }
    return isOurClientRefused ? 'try_again' : 'refused';
  }
}
