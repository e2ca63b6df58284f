import type {
  ConnectionConsent,
  ConnectionDetail,
  ConnectionEntry,
  ConnectionList,
  RefreshedConnection,
} from '../api-types.ts';
import type { CallOptions, Http, HttpRequest } from '../http/http.ts';
import { pause } from '../http/retry.ts';

export interface WaitOptions extends CallOptions {
  /** Waits for these connections only. */
  connection_ids?: readonly string[];
  /** Is called with the connections whenever they were read. */
  onProgress?: (connections: ConnectionEntry[]) => void;
  /** Milliseconds between two reads; 1,000 by default. */
  pollMs?: number;
}

/** The connections of a user to health systems. */
export class Connections {
  readonly #http: Http;
  readonly #url: string;
  readonly #service_user_id: number | undefined;

  /** @param service_user_id the user, when the credentials are those of the client application */
  constructor(http: Http, baseUrl: string, service_user_id?: number) {
    this.#http = http;
    this.#url = `${baseUrl}/connect/v1/connections`;
    this.#service_user_id = service_user_id;
  }

  /** All connections, the oldest first. */
  async list(options?: CallOptions): Promise<ConnectionEntry[]> {
    return (await this.#http.json<ConnectionList>(this.#request('GET', ''), options)).entry;
  }

  /** A connection, with the progress and the result of each resource type. @throws ApiError 404 */
  get(connection_id: string, options?: CallOptions): Promise<ConnectionDetail> {
    return this.#http.json(this.#request('GET', `/${encodeURIComponent(connection_id)}`), options);
  }

  /**
   * The receipt of what the user agreed to when the connection was last made, and those of earlier consents.
   * @throws ApiError 404; `consent_not_found` when the connection ended before consents were recorded
   */
  consent(connection_id: string, options?: CallOptions): Promise<ConnectionConsent> {
    return this.#http.json(this.#request('GET', `/${encodeURIComponent(connection_id)}/consent`), options);
  }

  /**
   * Collects again.
   * @param full whether everything is read again, and not only changes
   * @throws ApiError `needs_reauthorization`, `revoked`, `consent_ended`: the user must connect again
   */
  refresh(
    connection_id: string,
    { full, ...options }: CallOptions & { full?: boolean } = {},
  ): Promise<RefreshedConnection> {
    const request = this.#request(
      'POST',
      `/${encodeURIComponent(connection_id)}/refresh`,
      full ? { full: 'true' } : {},
    );
    return this.#http.json({ ...request, isIdempotent: true }, options);
  }

  /** Revokes a connection: its tokens are deleted, collected data stays. */
  async disconnect(connection_id: string, options?: CallOptions): Promise<void> {
    await this.#http.send(this.#request('DELETE', `/${encodeURIComponent(connection_id)}`), options);
  }

  /**
   * Waits until no connection is being collected, and returns them. Check `status`, and `complete`: an active
   * connection can lack what the health system refused, which `warnings` name. While a health system is not available,
   * a connection stays `collecting` with `retry_at`, possibly for days: limit the time by `signal`.
   */
  async waitUntilCollected({ connection_ids, onProgress, pollMs = 1000, ...options }: WaitOptions = {}): Promise<
    ConnectionEntry[]
  > {
    for (;;) {
      const connections = (await this.list(options)).filter(
        ({ connection_id }) => connection_ids?.includes(connection_id) ?? true,
      );
      onProgress?.(connections);
      if (connections.every(({ status }) => status !== 'collecting')) return connections;
      await pause(pollMs * (0.75 + Math.random() / 2), options.signal);
    }
  }

  #request(method: HttpRequest['method'], path: string, parameters: Record<string, string> = {}): HttpRequest {
    const user = this.#service_user_id;
    const query = new URLSearchParams({
      ...parameters,
      ...(user === undefined ? {} : { service_user_id: String(user) }),
    }).toString();
    return { method, url: this.#url + path + (query && `?${query}`) };
  }
}
