import { type Addresses, normalizeAddresses } from './addresses.ts';
import type { Activity } from './api-types.ts';
import { Connections } from './connect/connections.ts';
import { Exports } from './exports/exports.ts';
import { bearerCredentials } from './http/bearer-credentials.ts';
import { type CallOptions, Http, type HttpOptions } from './http/http.ts';
import { RefreshingTokens, type RefreshOptions } from './tokens/refreshing-tokens.ts';
import { SystemTokens } from './tokens/system-tokens.ts';
import { type ClientIdentity, Tokens } from './tokens/token-endpoint.ts';
import { type TokenSet, type TokenStore, memoryTokenStore } from './tokens/token-store.ts';
import { TributaryUser } from './tributary-user.ts';
import { type UserSelection, Users } from './users.ts';
import { WebhookEndpoints } from './webhooks/webhook-endpoints.ts';

export interface TributaryServerOptions extends Addresses, HttpOptions, ClientIdentity {}

/** The API with the credentials of the client application: for servers only, never for browsers. */
export class TributaryServer {
  readonly users: Users;
  readonly tokens: Tokens;
  readonly webhooks: WebhookEndpoints;
  /** Exports of the data of all users of the client. */
  readonly exports: Exports;
  readonly #options: TributaryServerOptions;
  /** With the credentials of the client. */
  readonly #http: Http;
  /** The users of `openUser`, the one that was opened first at the beginning. */
  readonly #opened = new Map<string, { user: Promise<TributaryUser>; until: number }>();

  /** @throws TypeError without credentials, and in a browser, where everybody could read them */
  constructor(options: TributaryServerOptions) {
    if ('document' in globalThis) throw new TypeError('client credentials must not be used in a browser');
    const { clientId, clientSecret, privateKey } = options;
    requireCredentials(options);
    const { baseUrl, authUrl, analyticsUrl } = normalizeAddresses(options);
    this.#options = { ...options, baseUrl };
    const inHeaders = async (): Promise<Record<string, string>> => {
      if (clientSecret === undefined) throw new TypeError('clientSecret is required: this call takes no private key');
      return { client_id: clientId, client_secret: clientSecret };
    };
    const http = new Http(options, inHeaders);
    this.#http = http;
    this.tokens = new Tokens(new Http(options), authUrl, { clientId, clientSecret, privateKey });
    this.users = new Users(http, baseUrl);
    this.webhooks = new WebhookEndpoints(http, baseUrl);
    const system = new SystemTokens(() => this.tokens.systemToken());
    const forAllUsers =
      clientSecret === undefined
        ? bearerCredentials(({ refused }) => system.token(refused))
        : async () => ({ ...(await inHeaders()), 'x-service-user-id': 'client' });
    this.exports = new Exports(new Http(options, forAllUsers), analyticsUrl);
  }

  /**
   * The connections of a user, without a token of this user: for example after a webhook, which carries the id.
   * Requires `clientSecret`.
   */
  connections(service_user_id: number): Connections {
    return new Connections(this.#http, this.#options.baseUrl, service_user_id);
  }

  /**
   * What happened to the users of the client, in counts for each day (UTC). Requires `clientSecret`.
   * @param days today and the days before it, 1 to 90; 30 by default
   */
  activity(days = 30, options?: CallOptions): Promise<Activity> {
    return this.#http.json(
      { method: 'GET', url: `${this.#options.baseUrl}/connect/v1/activity?days=${days}` },
      options,
    );
  }

  /**
   * The API of a user whose tokens refresh themselves.
   * @param tokens of `tokens.exchange`, or a store that several processes share
   * @param options.renew obtains tokens when the refresh token is no longer accepted, as after 30 days without use
   */
  user(tokens: TokenSet | TokenStore, options: Omit<RefreshOptions, 'refresh'> = {}): TributaryUser {
    const store = 'load' in tokens ? tokens : memoryTokenStore(tokens);
    const refreshing = new RefreshingTokens(store, {
      ...options,
      refresh: (refreshToken, signal) => this.tokens.refresh(refreshToken, { signal, timeoutMs: 10_000 }),
    });
    return new TributaryUser({
      ...this.#options,
      accessToken: (request) => refreshing.accessToken(request),
    });
  }

  /**
   * Returns the API of a user. The tokens stay in the memory of this process, and are renewed for this user only: after
   * a deletion, requests end with `user_not_found`. A user that this process has opened within the last hour is opened
   * without a request; otherwise it costs one request of user management, or two for a new user.
   * @param user the `app_user_id` of a user that is found or created, or an id by name of an existing user
   * @throws ApiError `user_not_found`, `user_inactive`
   */
  openUser(user: string | UserSelection): Promise<TributaryUser> {
    const key = JSON.stringify(user);
    const known = this.#opened.get(key);
    if (known && known.until > Date.now()) return known.user;
    const forget = (): void => void (this.#opened.get(key) === opening && this.#opened.delete(key));
    const opening = { user: this.#open(user, forget), until: Date.now() + openedMs };
    opening.user.catch(forget);
    this.#opened.delete(key);
    this.#opened.set(key, opening);
    const [oldest] = this.#opened.keys();
    if (this.#opened.size > maxOpened && oldest !== undefined) this.#opened.delete(oldest);
    return opening.user;
  }

  /** @param onEnd is called when the user is found to have ended */
  async #open(user: string | UserSelection, onEnd: () => void): Promise<TributaryUser> {
    const { service_user_id, code } = await (typeof user === 'string'
      ? this.users.findOrCreate(user)
      : this.users.newCode(user));
    return this.user(await this.tokens.exchange(code), {
      // By this id: an app_user_id can belong to another user later.
      renew: async () => {
        try {
          return await this.tokens.exchange((await this.users.newCode({ service_user_id })).code);
        } catch (error) {
          onEnd();
          throw error;
        }
      },
    });
  }
}

/** Users that a process keeps, and for how long: another process can have given an `app_user_id` to somebody else. */
const maxOpened = 10_000;
const openedMs = 3_600_000;

/** Credentials often come from environment variables, which are undefined or empty when they are not set. */
function requireCredentials({ clientId, clientSecret, privateKey }: Partial<ClientIdentity>): void {
  if (!clientId) throw new TypeError('clientId is missing: give the client_id of your client application');
  if (clientSecret === '' || (clientSecret === undefined && !privateKey))
    throw new TypeError('clientSecret is missing: give the client_secret of your client application, or privateKey');
}
