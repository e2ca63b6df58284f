import type {
  ConnectLink,
  ConnectionConsent,
  ConnectionDetail,
  ConnectionEntry,
  ConnectionList,
  FhirVersion,
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

export interface ConnectPageOptions extends CallOptions {
  /** Returned unchanged; compare it by `readConnectRedirect`. */
  state: string;
  /** The first words of the search. */
  query?: string;
  /** One of the registered ones. Default: the first. */
  redirect_uri?: string;
}

export interface ConnectOptions extends CallOptions {
  health_system_id: number;
  /** Comes back with the redirect, where `readConnectRedirect` compares it. */
  state: string;
  /** Collects this release only. Most health systems publish the same data in several releases. */
  fhirVersion?: FhirVersion;
  /** Resource types to request and collect; Patient is always among them. By default all that the client asks for. */
  scope_types?: readonly string[];
  /** One of the registered ones; the first one by default. */
  redirect_uri?: string;
  /** Others, for example `connection_id` to renew a connection, or `prompt` and `login_hint` for the sandbox. */
  parameters?: Record<string, string>;
}

/** The connections of a user to health systems. */
export class Connections {
  readonly #http: Http;
  readonly #url: string;
  readonly #service_user_id: number | undefined;

  /** @param service_user_id the user, when the credentials are those of the client application */
  constructor(http: Http, baseUrl: string, service_user_id?: number) {
    this.#http = http;
    this.#url = `${baseUrl}/connect/v1`;
    this.#service_user_id = service_user_id;
  }

  /**
   * A link that connects a health system, for the browser of the user; without `health_system_id` it opens the connect
   * pages, on which the user chooses health systems and watches the collection. It works once, for ten minutes, and
   * holds no token. The user is told whose account it is about.
   * @param options.account_name what the page calls the account of the user; with the credentials of the client only
   */
  createLink({
    state,
    health_system_id,
    fhirVersion,
    scope_types,
    redirect_uri,
    account_name,
    parameters,
    ...options
  }: Omit<ConnectOptions, 'health_system_id'> & {
    health_system_id?: number;
    account_name?: string;
  }): Promise<ConnectLink> {
    const body = {
      health_system_id,
      state,
      fhirVersion,
      scope_types: scope_types?.join(),
      redirect_uri,
      account_name,
      ...parameters,
    };
    const request = this.#request('POST', '/links');
    return this.#http.json(
      {
        ...request,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        // A link that nobody follows is of no effect.
        isIdempotent: true,
      },
      options,
    );
  }

  /** All connections, the oldest first. */
  async list(options?: CallOptions): Promise<ConnectionEntry[]> {
    return (await this.#http.json<ConnectionList>(this.#request('GET', '/connections'), options)).entry;
  }

  /** A connection, with the progress and the result of each resource type. @throws ApiError 404 */
  get(connection_id: string, options?: CallOptions): Promise<ConnectionDetail> {
    return this.#http.json(this.#request('GET', `/connections/${encodeURIComponent(connection_id)}`), options);
  }

  /**
   * The receipt of what the user agreed to when the connection was last made, and those of earlier consents.
   * @throws ApiError 404
   */
  consent(connection_id: string, options?: CallOptions): Promise<ConnectionConsent> {
    return this.#http.json(this.#request('GET', `/connections/${encodeURIComponent(connection_id)}/consent`), options);
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
      `/connections/${encodeURIComponent(connection_id)}/refresh`,
      full ? { full: 'true' } : {},
    );
    return this.#http.json({ ...request, isIdempotent: true }, options);
  }

  /** Revokes a connection: its tokens are deleted, collected data stays. */
  async disconnect(connection_id: string, options?: CallOptions): Promise<void> {
    await this.#http.send(this.#request('DELETE', `/connections/${encodeURIComponent(connection_id)}`), options);
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
