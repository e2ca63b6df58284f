import OAuth2Server from 'oauth2-server';
import type { Revocations } from '../revocations/revocations';
import type { AuthorizationCodes } from '../tokens/authorization-codes';
import type { FamilyOfToken, RefreshTokens } from '../tokens/refresh-tokens';
import { newToken } from '../tokens/opaque-token';
import { newRefreshToken, presentedRefreshToken } from '../tokens/refresh-token';
import type { TokenPair } from '../tokens/token-pair';
import type { RequestingClient } from './requesting-client';

type Model = Pick<
  OAuth2Server.AuthorizationCodeModel & OAuth2Server.RefreshTokenModel,
  | 'getClient'
  | 'generateAccessToken'
  | 'generateRefreshToken'
  | 'getAuthorizationCode'
  | 'revokeAuthorizationCode'
  | 'getRefreshToken'
  | 'revokeToken'
  | 'saveToken'
>;

/** What the grants work on. */
export interface TokenGrantStores {
  codes: AuthorizationCodes;
  refreshTokens: RefreshTokens;
  revocations: Revocations;
}

/** The library compares expiry with the clock of this process; the database has done so with its own, which all replicas share. */
const never = new Date(8_640_000_000_000_000);

/** The grants of the token endpoint, by their `grant_type`. */
export const grantTypes = ['authorization_code', 'refresh_token'];

/**
 * What oauth2-server asks about one token request of a client that is known already. The library would spend the code or refresh token
 * in one step and save its successors in another; here both happen in `saveToken`, in one statement, so that of several requests
 * with the same code one wins, and of several with the same refresh token one pair works in the end.
 */
export class TokenGrants implements Model {
  #refreshToken: string | undefined;

  constructor(
    private readonly stores: TokenGrantStores,
    private readonly client: RequestingClient,
    /**
     * Whether the client no longer waits for the answer. Such a request may be one that was held up, and that the client has sent again since: it
     * must neither spend anything nor count as reuse. Nobody gains tokens by it.
     */
    private readonly isAbandoned: () => boolean,
  ) {}

  async getClient(): Promise<OAuth2Server.Client> {
    return this.#client(this.client.clientId);
  }

  async generateAccessToken(): Promise<string> {
    return newToken();
  }

  /** All refresh tokens of a family have its handle. */
  async generateRefreshToken(): Promise<string> {
    return newRefreshToken(
      this.#refreshToken === undefined ? undefined : presentedRefreshToken(this.#refreshToken).handle,
    );
  }

  /** A code of another client is given back as it is: the library refuses it, and it stays good for its own client. */
  async getAuthorizationCode(code: string): Promise<OAuth2Server.AuthorizationCode | undefined> {
    const known = await this.stores.codes.find(code);
    if (!known) return undefined;
    if (known.spent && known.clientId === this.client.clientId) {
      await this.#codeCameAgain(code);
      return undefined;
    }
    // No redirect led to this code: user management asked for it. So there is no redirect_uri to compare.
    return {
      authorizationCode: code,
      expiresAt: never,
      redirectUri: '',
      scope: [known.scope],
      client: this.#client(known.clientId),
      user: { serviceUserId: known.serviceUserId },
    };
  }

  async revokeAuthorizationCode(): Promise<boolean> {
    return true;
  }

  async getRefreshToken(refreshToken: string): Promise<OAuth2Server.RefreshToken | undefined> {
    const family = await this.stores.refreshTokens.find(refreshToken);
    if (!family) return undefined;
    if (family.standing === 'reused' && family.clientId === this.client.clientId) {
      await this.#refreshTokenCameAgain(family);
      return undefined;
    }
    return {
      refreshToken,
      scope: [family.scope],
      client: this.#client(family.clientId),
      user: { serviceUserId: family.serviceUserId },
    };
  }

  async revokeToken({ refreshToken }: OAuth2Server.RefreshToken): Promise<boolean> {
    this.#refreshToken = refreshToken;
    return true;
  }

  /** Spends what was presented and saves the new pair, at once. */
  async saveToken(
    token: OAuth2Server.Token,
    client: OAuth2Server.Client,
    user: OAuth2Server.User,
  ): Promise<OAuth2Server.Token> {
    if (this.isAbandoned())
      throw new OAuth2Server.InvalidGrantError('Invalid grant: the client did not wait for the answer');
    const { accessToken, refreshToken = '' } = token;
    const pair = { accessToken, refreshToken };
    const won =
      this.#refreshToken === undefined
        ? await this.#exchange(String(token['authorizationCode']), pair)
        : await this.#rotate(this.#refreshToken, pair);
    if (!won) throw new OAuth2Server.InvalidGrantError('Invalid grant: it has been used, has expired or was revoked');
    return { ...token, client, user };
  }

  async #exchange(code: string, pair: TokenPair): Promise<boolean> {
    const won = await this.stores.codes.exchange(code, this.client.clientId, pair);
    if (!won) await this.#codeCameAgain(code);
    return won;
  }

  async #rotate(refreshToken: string, pair: TokenPair): Promise<boolean> {
    const rotation = await this.stores.refreshTokens.rotate(refreshToken, this.client.clientId, pair, this.isAbandoned);
    if (rotation.outcome === 'reused') await this.#refreshTokenCameAgain(rotation.family);
    return rotation.outcome === 'rotated';
  }

  async #codeCameAgain(code: string): Promise<void> {
    if (!this.isAbandoned()) await this.stores.revocations.codeCameAgain(code, this.client.clientId);
  }

  async #refreshTokenCameAgain(family: FamilyOfToken): Promise<void> {
    if (!this.isAbandoned()) await this.stores.revocations.refreshTokenCameAgain(family);
  }

  #client(id: string): OAuth2Server.Client {
    return { id, grants: grantTypes };
  }
}
