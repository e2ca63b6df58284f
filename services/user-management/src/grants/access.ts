import type { HealthSystemAccess } from '@tributary/contracts';
import type { Grant } from './grant';
import type { Tokens } from './grant-tokens';

/** A token as other services are handed it. */
export function access(
  { tokenId, expiresAt }: Pick<Grant, 'tokenId' | 'expiresAt'>,
  { access_token }: Tokens,
): HealthSystemAccess {
  return { access_token, token_id: tokenId, expires_at: expiresAt?.toISOString() ?? null };
}
