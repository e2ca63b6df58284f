import { type Addresses, normalizeAddresses } from './addresses.ts';
import type { FhirVersion } from './api-types.ts';
import { type ConnectOptions, type ConnectPageOptions, Connections } from './connect/connections.ts';
import { HealthSystems } from './connect/health-systems.ts';
import { Exports } from './exports/exports.ts';
import { FhirClient, type FhirClientOptions } from './fhir/fhir-client.ts';
import { type AccessTokenSource, bearerCredentials } from './http/bearer-credentials.ts';
import { type CallOptions, Http, type HttpOptions } from './http/http.ts';

export interface TributaryUserOptions extends Addresses, HttpOptions {
  clientId: string;
  accessToken: string | AccessTokenSource;
}

/** The API with the access token of a user: for servers and browsers. */
export class TributaryUser {
  readonly healthSystems: HealthSystems;
  readonly connections: Connections;
  /** Exports of the data of this user. */
  readonly exports: Exports;
  readonly #http: Http;
  readonly #baseUrl: string;
  readonly #clientId: string;
  readonly #accessToken: AccessTokenSource;

  constructor({ clientId, accessToken, ...options }: TributaryUserOptions) {
    const { baseUrl, searchUrl, analyticsUrl } = normalizeAddresses(options);
    this.#baseUrl = baseUrl;
    this.#clientId = clientId;
    this.#accessToken = typeof accessToken === 'string' ? async () => accessToken : accessToken;
    this.#http = new Http(options, bearerCredentials(this.#accessToken));
    this.healthSystems = new HealthSystems(this.#http, searchUrl);
    this.connections = new Connections(this.#http, baseUrl);
    this.exports = new Exports(this.#http, analyticsUrl);
  }

  /** A valid access token, for example for another FHIR library. */
  accessToken(options: CallOptions = {}): Promise<string> {
    return this.#accessToken({ signal: options.signal });
  }

  /** The record of the user in a FHIR release. With `{ as: 'r4' }`, resources of DSTU2 and STU3 are read as R4. */
  fhir<Release extends FhirVersion>(release: Release): FhirClient<Release>;
  fhir(release: FhirVersion, options: FhirClientOptions & { as: 'r4' }): FhirClient<'r4'>;
  fhir<Release extends FhirVersion>(release: Release, options?: FhirClientOptions): FhirClient<Release> {
    return new FhirClient(this.#http, this.#baseUrl, release, options);
  }

  /**
   * The address of the connect pages, on which the user chooses health systems and watches the collection. It contains
   * the access token: create it when the user follows it, and neither store nor log it. Prefer
   * `connections.createLink`.
   * @param options `query` fills the search
   */
  async connectPageUrl({ state, query, redirect_uri, signal }: ConnectPageOptions): Promise<string> {
    const parameters = new URLSearchParams({
      client_id: this.#clientId,
      access_token: await this.#accessToken({ signal }),
      state,
      ...(query ? { query } : {}),
      ...(redirect_uri ? { redirect_uri } : {}),
    });
    return `${this.#baseUrl}/connect?${parameters}`;
  }

  /**
   * The address where the browser of the user begins to connect, without a page that asks whose account it is. It
   * contains the access token: create it when the user follows it, and neither store nor log it. Prefer
   * `connections.createLink`.
   */
  async connectUrl({
    health_system_id,
    state,
    fhirVersion,
    scope_types,
    redirect_uri,
    parameters,
    signal,
  }: ConnectOptions): Promise<string> {
    const query = new URLSearchParams({
      client_id: this.#clientId,
      access_token: await this.#accessToken({ signal }),
      state,
      ...(fhirVersion ? { fhirVersion } : {}),
      ...(scope_types ? { scope_types: scope_types.join() } : {}),
      ...(redirect_uri ? { redirect_uri } : {}),
      ...parameters,
    });
    return `${this.#baseUrl}/connect/system/clinical/${health_system_id}?${query}`;
  }
}
