import { UnsealingError } from '@tributary/key-vault';
import { type OutboundHttp, OutboundRequestFailed } from '../outbound/outbound-http';
import { signedHeaders } from './signed-headers';
import type { WebhookEndpoint } from './webhook-endpoint';
import type { WebhookSecrets } from './webhook-secrets';

/** The status of an endpoint's response, or why there was none. */
export type WebhookResponse = { status: number } | { reason: string };

/** Signs events and sends them. */
export class WebhookSender {
  constructor(
    private readonly http: OutboundHttp,
    private readonly secrets: WebhookSecrets,
  ) {}

  /** @param eventId the same for every attempt, so that the receiver can recognize duplicates */
  async send(endpoint: WebhookEndpoint, eventId: string, body: string): Promise<WebhookResponse> {
    try {
      const headers = signedHeaders(`msg_${eventId}`, new Date(), body, await this.secrets.signingKeys(endpoint));
      return { status: await this.http.postJson(endpoint.url, body, headers) };
    } catch (error) {
      if (error instanceof OutboundRequestFailed) return { reason: error.reason };
      if (error instanceof UnsealingError) return { reason: 'its secret cannot be read' };
      throw error;
    }
  }
}

/** Any 2xx is success; a redirect is not. */
export function isAccepted(response: WebhookResponse): boolean {
  return 'status' in response && response.status >= 200 && response.status < 300;
}
