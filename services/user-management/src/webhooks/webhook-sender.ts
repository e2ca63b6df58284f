import { UnsealingError } from '@tributary/key-vault';
import { OutboundRequestFailed, type OutboundHttp } from '../outbound/outbound-http';
import { signedHeaders } from './signed-headers';
import type { WebhookEndpoint } from './webhook-endpoint';
import type { WebhookSecrets } from './webhook-secrets';

/** What an endpoint answered, or why there was no answer. */
export type WebhookResponse = { status: number } | { reason: string };

/** Signs events and sends them. */
export class WebhookSender {
  constructor(
    private readonly http: OutboundHttp,
    private readonly secrets: WebhookSecrets,
  ) {}

  /** @param eventId the same at every attempt, so that the receiver knows what it has had */
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

/** Any 2xx is success; a redirect is none. */
export function isAccepted(answer: WebhookResponse): boolean {
  return 'status' in answer && answer.status >= 200 && answer.status < 300;
}
