import { randomUUID } from 'node:crypto';
import type { ScopedKeys } from '@tributary/key-vault';
import { z } from 'zod';
import { keyScopeOfUser } from '../connections/key-scope';
import type { TokenAnswer } from '../health-systems/token-endpoint';
import type { Grant } from './grant';

const tokens = z.object({ access_token: z.string(), refresh_token: z.string().optional() });
export type Tokens = z.infer<typeof tokens>;

type TokenColumns = Pick<Grant, 'tokensSealed' | 'tokenId' | 'obtainedAt' | 'expiresAt' | 'clientAuthentication'>;

/** Seals the tokens of grants under the user's key. */
export class GrantTokens {
  constructor(private readonly keys: ScopedKeys) {}

  /** The columns that hold a token answer. An answer without a refresh token leaves the one before in force. */
  async seal({ grantId, serviceUserId }: Pick<Grant, 'grantId' | 'serviceUserId'>, answer: TokenAnswer, before?: Tokens): Promise<TokenColumns> {
    const refreshToken = answer.refresh_token ?? before?.refresh_token;
    const held: Tokens = { access_token: answer.access_token, ...(refreshToken ? { refresh_token: refreshToken } : {}) };
    const obtainedAt = new Date();
    return {
      tokensSealed: (await this.keys.keyFor(keyScopeOfUser(serviceUserId))).sealText(JSON.stringify(held), place(grantId)),
      tokenId: randomUUID(),
      obtainedAt,
      expiresAt: answer.expires_in === undefined ? null : new Date(obtainedAt.getTime() + answer.expires_in * 1000),
      clientAuthentication: answer.clientAuthentication,
    };
  }

  async open({ grantId, serviceUserId, tokensSealed }: Pick<Grant, 'grantId' | 'serviceUserId' | 'tokensSealed'>): Promise<Tokens> {
    return tokens.parse(JSON.parse((await this.keys.keyFor(keyScopeOfUser(serviceUserId))).openText(tokensSealed, place(grantId))));
  }
}

function place(grantId: string): string {
  return `grant ${grantId} tokens`;
}
