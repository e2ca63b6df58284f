import type { ConnectionDetail, ConnectionEntry, ConnectionList, RefreshedConnection } from '../api-types.ts';
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

  constructor(http: Http, baseUrl: string) {
    this.#http = http;
    this.#url = `${baseUrl}/connect/v1/connections`;
  }

  /** All connections, the oldest first. */
  async list(options?: CallOptions): Promise<ConnectionEntry[]> {
    return (await this.#http.json<ConnectionList>({ method: 'GET', url: this.#url }, options)).entry;
  }

  /** A connection, with the progress and the result of each resource type. @throws ApiError 404 */
  get(connection_id: string, options?: CallOptions): Promise<ConnectionDetail> {
    return this.#http.json(this.#request('GET', connection_id), options);
  }

  /**
   * Collects again.
   * @param full whether everything is read again, and not only changes
   * @throws ApiError `needs_reauthorization`, `revoked`: the user must connect again
   */
  refresh(
    connection_id: string,
    { full, ...options }: CallOptions & { full?: boolean } = {},
  ): Promise<RefreshedConnection> {
    const request = this.#request('POST', connection_id, full ? '/refresh?full=true' : '/refresh');
    return this.#http.json({ ...request, isIdempotent: true }, options);
  }

  /** Revokes a connection: its tokens are deleted, collected data stays. */
  async disconnect(connection_id: string, options?: CallOptions): Promise<void> {
    await this.#http.send(this.#request('DELETE', connection_id), options);
  }

  /**
   * Waits until no connection is being collected, and returns them. Check `status`, and `complete`: an active connection can
   * lack what the health system refused, which `warnings` name. While a health system is not available, a connection stays
   * `collecting` with `retry_at`, possibly for days: limit the time by `signal`.
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

  #request(method: HttpRequest['method'], connection_id: string, rest = ''): HttpRequest {
    return { method, url: `${this.#url}/${encodeURIComponent(connection_id)}${rest}` };
  }
}
