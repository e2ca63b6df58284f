import type { SystemTokenResponse, TokenResponse } from '../api-types.ts';
import type { CallOptions, Http } from '../http/http.ts';
import { type ClientKey, signClientAssertion } from './client-assertion.ts';
import type { TokenSet } from './token-store.ts';

export interface ClientIdentity {
  clientId: string;
  clientSecret?: string | undefined;
  privateKey?: ClientKey | undefined;
}

/** The token endpoint, with the credentials of the client. */
export class Tokens {
  readonly #http: Http;
  readonly #authUrl: string;
  readonly #client: ClientIdentity;

  constructor(http: Http, authUrl: string, client: ClientIdentity) {
    this.#http = http;
    this.#authUrl = authUrl;
    this.#client = client;
  }

  /**
   * Exchanges the code of a user for tokens. A code works once.
   * @param options.scope `patient/*.rs` for tokens that only read, as for an assistant; by default they also write
   * @throws ApiError `invalid_grant`
   */
  async exchange(
    code: string,
    { scope, ...options }: CallOptions & { scope?: 'patient/*.rs' | 'patient/*.cruds' } = {},
  ): Promise<TokenSet> {
    const parameters = { grant_type: 'authorization_code', code, ...(scope === undefined ? {} : { scope }) };
    return tokenSet(await this.#request(parameters, false, options));
  }

  /**
   * Exchanges a refresh token for the next pair. The service accepts the same refresh token again within 60 seconds
   * while none of the issued tokens was used, so the request is repeated when its response is lost. `TributaryUser`
   * calls this by itself.
   * @throws ApiError `invalid_grant`
   */
  async refresh(refreshToken: string, options?: CallOptions): Promise<TokenSet> {
    return tokenSet(await this.#request({ grant_type: 'refresh_token', refresh_token: refreshToken }, true, options));
  }

  /** Revokes a token; a refresh token with all tokens that descend from the same code. */
  async revoke(token: string, options?: CallOptions): Promise<void> {
    await this.#post('/oauth2/revoke', { token }, true, options);
  }

  /**
   * A token of the client itself (SMART Backend Services), which requires a private key.
   * @param scope `system/*.rs`, or for single types `system/Patient.rs`
   */
  systemToken(scope = 'system/*.rs', options?: CallOptions): Promise<SystemTokenResponse> {
    return this.#request({ grant_type: 'client_credentials', scope }, true, options);
  }

  #request<T extends SystemTokenResponse | TokenResponse>(
    parameters: Record<string, string>,
    isIdempotent: boolean,
    options?: CallOptions,
  ): Promise<T> {
    return this.#post('/oauth2/token', parameters, isIdempotent, options);
  }

  #post<T>(path: string, parameters: Record<string, string>, isIdempotent: boolean, options?: CallOptions): Promise<T> {
    return this.#http.json<T>(
      {
        method: 'POST',
        url: `${this.#authUrl}${path}`,
        // An assertion is accepted once, so each attempt has its own.
        body: async () => new URLSearchParams({ ...parameters, ...(await this.#credentials()) }),
        isIdempotent,
      },
      options,
    );
  }

  async #credentials(): Promise<Record<string, string>> {
    const { clientId, clientSecret, privateKey } = this.#client;
    if (privateKey)
      return {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await signClientAssertion(privateKey, clientId, `${this.#authUrl}/oauth2/token`),
      };
    if (clientSecret === undefined) throw new TypeError('clientSecret or privateKey is required');
    return { client_id: clientId, client_secret: clientSecret };
  }
}

function tokenSet({ access_token, refresh_token, expires_in }: TokenResponse): TokenSet {
  return { access_token, refresh_token, expires_at: Date.now() + expires_in * 1000 };
}
