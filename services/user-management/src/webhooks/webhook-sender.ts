import { UnsealingError } from '@tributary/key-vault';
import { OutboundRequestFailed } from '@tributary/outbound';
import type { OutboundHttp } from '../outbound/outbound-http';
import type { DataKeys } from '../database/data-keys';
import { signedHeaders } from './signed-headers';
import type { WebhookEndpoint } from './webhook-endpoint';
import { openSecrets } from './webhook-secrets';

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
