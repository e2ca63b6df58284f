import type {
  ChangedWebhook,
  CreatedWebhook,
  RotatedWebhookSecret,
  TestedWebhook,
  WebhookEndpointEntry,
  WebhookEventType,
  WebhookList,
} from '../api-types.ts';
import type { CallOptions, Http, HttpRequest } from '../http/http.ts';

/** The webhook endpoints of a client application. */
export class WebhookEndpoints {
  readonly #http: Http;
  readonly #url: string;

  constructor(http: Http, baseUrl: string) {
    this.#http = http;
    this.#url = `${baseUrl}/connect/v1/webhooks`;
  }

  /** Registers an endpoint for all events, or those of `events`. The `secret` of the response is shown only once. */
  create(endpoint: { url: string; events?: WebhookEventType[] }, options?: CallOptions): Promise<CreatedWebhook> {
    return this.#http.json(
      {
        method: 'POST',
        url: this.#url,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(endpoint),
      },
      options,
    );
  }

  /** All endpoints, the oldest first. */
  async list(options?: CallOptions): Promise<WebhookEndpointEntry[]> {
    return (await this.#http.json<WebhookList>({ method: 'GET', url: this.#url }, options)).entry;
  }

  async delete(endpoint_id: string, options?: CallOptions): Promise<void> {
    await this.#http.send(this.#request('DELETE', endpoint_id), options);
  }

  /** Enables an endpoint that was disabled because it accepted nothing for 24 hours. */
  enable(endpoint_id: string, options?: CallOptions): Promise<ChangedWebhook> {
    return this.#http.json({ ...this.#request('POST', endpoint_id, '/enable'), isIdempotent: true }, options);
  }

  /** Returns another secret. Until `previous_secret_until`, events are signed with both. */
  rotateSecret(endpoint_id: string, options?: CallOptions): Promise<RotatedWebhookSecret> {
    return this.#http.json(this.#request('POST', endpoint_id, '/rotate-secret'), options);
  }

  /** Sends an event of the type `webhook.test`, and returns what the endpoint answered. */
  test(endpoint_id: string, options?: CallOptions): Promise<TestedWebhook> {
    return this.#http.json(this.#request('POST', endpoint_id, '/test'), options);
  }

  #request(method: HttpRequest['method'], endpoint_id: string, rest = ''): HttpRequest {
    return { method, url: `${this.#url}/${encodeURIComponent(endpoint_id)}${rest}` };
  }
}
