import { UnsealingError } from '@tributary/key-vault';
import { OutboundRequestFailed } from '@tributary/outbound';
import type { OutboundHttp } from '../outbound/outbound-http';
import { signedHeaders } from './signed-headers';
import type { WebhookEndpoint } from './webhook-endpoint';
import type { WebhookSecrets } from './webhook-secrets';

/** The status of an endpoint's response, or why there was none, and the milliseconds that it took. */
export type WebhookResponse = ({ status: number } | { reason: string }) & { durationMs: number };

/** Signs events and sends them. */
export class WebhookSender {
  constructor(
    private readonly http: OutboundHttp,
    private readonly secrets: WebhookSecrets,
  ) {}

  /** @param eventId the same for every attempt, so that the receiver can recognize duplicates */
  async send(endpoint: WebhookEndpoint, eventId: string, body: string): Promise<WebhookResponse> {
    const began = performance.now();
    const durationMs = (): number => Math.round(performance.now() - began);
    try {
      const headers = signedHeaders(`msg_${eventId}`, new Date(), body, await this.secrets.signingKeys(endpoint));
      const status = await this.http.postJson(endpoint.url, body, headers);
      return { status, durationMs: durationMs() };
    } catch (error) {
      if (error instanceof OutboundRequestFailed) return { reason: error.reason, durationMs: durationMs() };
      if (error instanceof UnsealingError) return { reason: 'its secret cannot be read', durationMs: durationMs() };
      throw error;
    }
  }
}

/** Any 2xx is success; a redirect is not. */
export function isAccepted(response: { status: number } | { reason: string }): boolean {
  return 'status' in response && response.status >= 200 && response.status < 300;
}
