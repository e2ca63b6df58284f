import { randomBytes } from 'node:crypto';
import type { DataKey } from '@tributary/key-vault';
import type { WebhookEndpoint } from './webhook-endpoint';

/** A new HMAC secret of an endpoint: in the form of Standard Webhooks, which the client sees once, and sealed. */
export function newSecret(key: DataKey, endpointId: string): { secret: string; sealed: Buffer } {
  const secret = randomBytes(32);
  return { secret: `whsec_${secret.toString('base64')}`, sealed: key.seal(secret, associatedData(endpointId)) };
}

/**
 * The secrets that sign now: the newest, and after a rotation also the previous one until it expires.
 * @param key of the client
 * @throws UnsealingError
 */
export function openSecrets(key: DataKey, endpoint: WebhookEndpoint): Buffer[] {
  const { endpointId, secretSealed, previousSecretSealed, previousSecretUntil } = endpoint;
  const isPreviousValid = previousSecretUntil !== null && previousSecretUntil > new Date();
  const previous = previousSecretSealed && isPreviousValid ? [previousSecretSealed] : [];
  return [secretSealed, ...previous].map((sealed) => key.open(sealed, associatedData(endpointId)));
}

function associatedData(endpointId: string): string {
  return `webhook_endpoint ${endpointId} secret`;
}
