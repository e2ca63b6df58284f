import { randomUUID } from 'node:crypto';
import type { DataKey } from '@tributary/key-vault';
import { z } from 'zod';
import type { TokenResponse } from '../health-systems/token-endpoint';
import type { UserKeys } from '../users/user-keys';
import type { Grant } from './grant';

const tokens = z.object({ access_token: z.string(), refresh_token: z.string().optional() });
export type Tokens = z.infer<typeof tokens>;

type TokenColumns = Pick<Grant, 'tokensSealed' | 'tokenId' | 'obtainedAt' | 'expiresAt' | 'clientAuthentication'>;

/** Seals the tokens of grants under the user's key. */
export class GrantTokens {
  constructor(private readonly keys: UserKeys) {}

  /** The columns that hold a token answer. An answer without a refresh token leaves the one before in force. */
  async seal(
    { grantId, serviceUserId }: Pick<Grant, 'grantId' | 'serviceUserId'>,
    answer: TokenResponse,
    before?: Tokens,
  ): Promise<TokenColumns> {
    const refreshToken = answer.refresh_token ?? before?.refresh_token;
    const held: Tokens = {
      access_token: answer.access_token,
      ...(refreshToken ? { refresh_token: refreshToken } : {}),
    };
    const obtainedAt = new Date();
    return {
      tokensSealed: (await this.keys.of(serviceUserId)).sealText(JSON.stringify(held), associatedData(grantId)),
      tokenId: randomUUID(),
      obtainedAt,
      expiresAt: answer.expires_in === undefined ? null : new Date(obtainedAt.getTime() + answer.expires_in * 1000),
      clientAuthentication: answer.clientAuthentication,
    };
  }

  async open({
    grantId,
    serviceUserId,
    tokensSealed,
  }: Pick<Grant, 'grantId' | 'serviceUserId' | 'tokensSealed'>): Promise<Tokens> {
    return this.openWith(await this.keys.of(serviceUserId), { grantId, tokensSealed });
  }

  /** The key of the user, to be asked for before a transaction begins: a key that is not cached is read on another connection. */
  key(serviceUserId: number): Promise<DataKey> {
    return this.keys.of(serviceUserId);
  }

  /** @throws UnsealingError when the key is not the one that sealed them */
  openWith(key: DataKey, { grantId, tokensSealed }: Pick<Grant, 'grantId' | 'tokensSealed'>): Tokens {
    return tokens.parse(JSON.parse(key.openText(tokensSealed, associatedData(grantId))));
  }
}

function associatedData(grantId: string): string {
  return `grant ${grantId} tokens`;
}
