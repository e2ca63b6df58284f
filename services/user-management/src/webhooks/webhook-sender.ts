import { randomBytes } from 'node:crypto';
import { type DataKey, UnsealingError } from '@tributary/key-vault';
import { OutboundRequestFailed } from '@tributary/outbound';
import type { OutboundHttp } from '../outbound/outbound-http';
import type { DataKeys } from '../database/data-keys';
import { signedHeaders } from './signed-headers';
import type { WebhookEndpoint } from './webhook-endpoint';

/** The status of an endpoint's response, or why there was none, and the milliseconds that it took. */
export type WebhookResponse = ({ status: number } | { reason: string }) & { durationMs: number };

/**
 * Signs an event and sends it to an endpoint.
 * @param eventId the same for every attempt, so that the receiver can recognize duplicates
 */
export async function sendWebhook(
  { http, keys }: { http: OutboundHttp; keys: DataKeys },
  endpoint: WebhookEndpoint,
  eventId: string,
  body: string,
): Promise<WebhookResponse> {
  const began = performance.now();
  const durationMs = (): number => Math.round(performance.now() - began);
  try {
    const signingKeys = openSecrets(await keys.ofClient(endpoint.clientId), endpoint);
    const status = await http.postJson(
      endpoint.url,
      body,
      signedHeaders(`msg_${eventId}`, new Date(), body, signingKeys),
    );
    return { status, durationMs: durationMs() };
  } catch (error) {
    if (error instanceof OutboundRequestFailed) return { reason: error.reason, durationMs: durationMs() };
    if (error instanceof UnsealingError) return { reason: 'its secret cannot be read', durationMs: durationMs() };
    throw error;
  }
}

/** Any 2xx is success; a redirect is not. */
export function isAccepted(response: { status: number } | { reason: string }): boolean {
  return 'status' in response && response.status >= 200 && response.status < 300;
}

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
function openSecrets(key: DataKey, endpoint: WebhookEndpoint): Buffer[] {
  const { endpointId, secretSealed, previousSecretSealed, previousSecretUntil } = endpoint;
  const isPreviousValid = previousSecretUntil !== null && previousSecretUntil > new Date();
  const previous = previousSecretSealed && isPreviousValid ? [previousSecretSealed] : [];
  return [secretSealed, ...previous].map((sealed) => key.open(sealed, associatedData(endpointId)));
}

function associatedData(endpointId: string): string {
  return `webhook_endpoint ${endpointId} secret`;
}
