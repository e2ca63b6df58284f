import type {
  ChangedWebhook,
  CreatedWebhook,
  ReplayedWebhookDelivery,
  ReplayedWebhooks,
  RotatedWebhookSecret,
  TestedWebhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookDeliveryState,
  WebhookEndpointEntry,
  WebhookEventType,
  WebhookList,
} from '../api-types.ts';
import type { CallOptions, Http, HttpRequest } from '../http/http.ts';

/** What `update` changes; absent fields stay as they are. */
export interface WebhookChange {
  /** Pending events are sent to the new URL. The secret stays the same. */
  url?: string;
  /** `null` selects all events, also those of types that are added later. */
  events?: WebhookEventType[] | null;
  /** A disabled endpoint gets no events. What it misses can be replayed after it is enabled. */
  status?: 'enabled' | 'disabled';
}

/** Which deliveries `deliveries` reads; all of the last 15 days by default. */
export interface WebhookDeliveryQuery {
  event?: WebhookEventType;
  state?: WebhookDeliveryState;
  /** Events that happened at this time or later; a text is a date and time with an offset. */
  since?: Date | string;
  /** Events that happened before this time. */
  until?: Date | string;
  /** The size of a page: 1 to 100; 20 by default, and 100 for `deliveries`. */
  limit?: number;
}

/** Which events `replay` sends again. */
export interface WebhookReplay {
  /** Events that happened at this time or later; a text is a date and time with an offset. */
  since: Date | string;
  /** Events that happened before this time; now by default. */
  until?: Date | string;
  /**
   * Only deliveries in this state. By default all events that the endpoint selects, also those from before it was
   * created.
   */
  state?: Exclude<WebhookDeliveryState, 'pending'>;
}

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

  /** Changes the URL, the selected events or the status. @throws ApiError `webhook_url_taken` */
  update(endpoint_id: string, change: WebhookChange, options?: CallOptions): Promise<ChangedWebhook> {
    // Repeating a change has no further effect.
    return this.#http.json({ ...this.#request('PATCH', endpoint_id, '', change), isIdempotent: true }, options);
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

  /** Sends an event of the type `webhook.test`, and returns the response of the endpoint. */
  test(endpoint_id: string, options?: CallOptions): Promise<TestedWebhook> {
    return this.#http.json(this.#request('POST', endpoint_id, '/test'), options);
  }

  /** The events of the last 15 days with every attempt, the newest first. They are read in pages. */
  async *deliveries(
    endpoint_id: string,
    query: WebhookDeliveryQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<WebhookDelivery, void, undefined> {
    for (let cursor: string | undefined; ;) {
      const page = await this.deliveryPage(
        endpoint_id,
        { limit: 100, ...query, ...(cursor ? { cursor } : {}) },
        options,
      );
      yield* page.entry;
      cursor = page.next_cursor;
      if (cursor === undefined) return;
    }
  }

  /** One page of deliveries. `cursor` is the `next_cursor` of the page before. */
  deliveryPage(
    endpoint_id: string,
    query: WebhookDeliveryQuery & { cursor?: string } = {},
    options?: CallOptions,
  ): Promise<WebhookDeliveryList> {
    const pairs = Object.entries(query).flatMap(([name, value]: [string, string | number | Date | undefined]) =>
      value === undefined ? [] : [[name, value instanceof Date ? value.toISOString() : String(value)]],
    );
    return this.#http.json(this.#request('GET', endpoint_id, `/deliveries?${new URLSearchParams(pairs)}`), options);
  }

  /**
   * Sends the events of a time range again, at most 10,000. Each has its earlier `webhook-id`.
   * @returns their number
   */
  replay(endpoint_id: string, range: WebhookReplay, options?: CallOptions): Promise<ReplayedWebhooks> {
    return this.#http.json(this.#request('POST', endpoint_id, '/replay', range), options);
  }

  /** Sends one event again, under the same `webhook-id`. @throws ApiError 404, 409 while it is being sent */
  replayDelivery(endpoint_id: string, webhook_id: string, options?: CallOptions): Promise<ReplayedWebhookDelivery> {
    const rest = `/deliveries/${encodeURIComponent(webhook_id)}/replay`;
    return this.#http.json(this.#request('POST', endpoint_id, rest), options);
  }

  #request(method: HttpRequest['method'], endpoint_id: string, rest = '', body?: object): HttpRequest {
    return {
      method,
      url: `${this.#url}/${encodeURIComponent(endpoint_id)}${rest}`,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    };
  }
}
