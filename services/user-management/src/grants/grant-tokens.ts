import { randomUUID } from 'node:crypto';
import type { HealthSystemAccess } from '@tributary/contracts';
import type { DataKey } from '@tributary/key-vault';
import { z } from 'zod';
import type { TokenResponse } from '../health-systems/token-client';
import type { Grant } from './grant';

export const tokenSet = z.object({ access_token: z.string(), refresh_token: z.string().optional() });
export type TokenSet = z.infer<typeof tokenSet>;

/** The columns of a grant that change with each token response. */
export type TokenColumns = Pick<
  Grant,
  'tokensSealed' | 'tokenId' | 'obtainedAt' | 'expiresAt' | 'refreshable' | 'clientAuthenticationMethod'
>;

/**
 * The tokens of a response. One without a refresh token keeps the previous one (RFC 6749, section 6).
 * @param previous the tokens before a refresh
 */
export function tokenSetOf({ access_token, refresh_token }: TokenResponse, previous?: TokenSet): TokenSet {
  const refreshToken = refresh_token ?? previous?.refresh_token;
  return { access_token, ...(refreshToken ? { refresh_token: refreshToken } : {}) };
}

/** Seals a token response under the data key of the user. @param previous as of `tokenSetOf` */
export function sealTokens(key: DataKey, grantId: string, response: TokenResponse, previous?: TokenSet): TokenColumns {
  const tokens = tokenSetOf(response, previous);
  const obtainedAt = new Date();
  return {
    tokensSealed: key.sealText(JSON.stringify(tokens), associatedData(grantId)),
    tokenId: randomUUID(),
    obtainedAt,
    expiresAt: response.expires_in === undefined ? null : new Date(obtainedAt.getTime() + response.expires_in * 1000),
    refreshable: tokens.refresh_token !== undefined,
    clientAuthenticationMethod: response.clientAuthenticationMethod,
  };
}

/** @throws UnsealingError when another key sealed the tokens */
export function openTokens(key: DataKey, { grantId, tokensSealed }: Pick<Grant, 'grantId' | 'tokensSealed'>): TokenSet {
  return tokenSet.parse(JSON.parse(key.openText(tokensSealed, associatedData(grantId))));
}

/** The access token as the worker gets it. */
export function healthSystemAccess(
  { tokenId, expiresAt }: Pick<Grant, 'tokenId' | 'expiresAt'>,
  { access_token }: Pick<TokenSet, 'access_token'>,
): HealthSystemAccess {
  return { access_token, token_id: tokenId, expires_at: expiresAt?.toISOString() ?? null };
}

function associatedData(grantId: string): string {
  return `grant ${grantId} tokens`;
}
