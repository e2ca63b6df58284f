import { createHash, randomBytes } from 'node:crypto';
import type { FhirVersion, HealthSystemEndpoint } from '@tributary/contracts';
import express, { type Request, type Response } from 'express';
import { type TestServer, listen } from './http-server';

interface CodeFacts {
  challenge: string;
  redirectUri: string;
  scope: string;
}

/** The behaviour of the health system; tests change single fields. */
export interface Behaviour {
  /** Fields that replace those of `.well-known/smart-configuration`; `null`: the document does not exist. */
  smart: Record<string, unknown> | null;
  /** Whether `/metadata` contains the OAuth endpoints. */
  metadata: boolean;
  /** Whether the response is 406 to an `Accept` other than the media type of the release. */
  strictAccept: boolean;
  /** One authorization endpoint per release instead of one for all. */
  apart: boolean;
  /** Runs before the response to an authorization request. */
  beforeAuthorize?: (() => Promise<void>) | undefined;
  /** Whether token responses have no `scope`. */
  omitScope: boolean;
  /** `grant`, or an OAuth error code. */
  authorize: string;
  /** Further parameters of authorization responses, for example `iss` or `error_uri`. */
  authorizationResponse: Record<string, string>;
  /** Whether the requested scopes are refused with `invalid_scope`. */
  refusesScopes: (scopes: string[]) => boolean;
  /** Whether the smart-configuration of DSTU2 exists. */
  smartInDstu2: boolean;
  /** The `scope` of token responses; undefined: as requested. */
  grantedScope: string | undefined;
  /** Authenticates the client of a token request. */
  knowsClient: (request: Request) => boolean;
  /** Sends another response to a token request. @returns whether it did */
  token?: ((request: Request, response: Response) => boolean) | undefined;
  /** Runs before the response to a token request. */
  beforeToken?: (() => Promise<void>) | undefined;
  patient: string | undefined;
  /** The elements of the Patient; undefined: a read of it is refused. */
  patientElements: object | undefined;
  /** The userinfo response of OpenID Connect; undefined: it is refused. */
  userinfo: object | undefined;
  /** The ids that a search for patients finds; undefined: it is refused. */
  patients: string[] | undefined;
  expiresIn: number | undefined;
  refresh: 'rotating' | 'absent' | 'never';
  delayMs: number;
  /** The status of responses to revocations; undefined: there is no revocation endpoint. */
  revocation: number | undefined;
}

const client = 'our-client';

/** A SMART health system in three releases, which signs every user in immediately and can misbehave. */
export class FakeHealthSystem {
  readonly behaviour: Behaviour = {
    smart: {},
    metadata: true,
    strictAccept: false,
    apart: false,
    omitScope: false,
    authorize: 'grant',
    authorizationResponse: {},
    refusesScopes: () => false,
    smartInDstu2: false,
    grantedScope: undefined,
    knowsClient: (request) => (request.body as Record<string, string>)['client_id'] === client,
    patient: 'patient-77',
    patientElements: undefined,
    userinfo: undefined,
    patients: undefined,
    expiresIn: 3600,
    refresh: 'rotating',
    delayMs: 0,
    revocation: undefined,
  };
  /** The queries of received authorization requests, and the forms of received token requests. */
  readonly authorizations: Record<string, string>[] = [];
  readonly tokenRequests: Record<string, string>[] = [];
  /** The forms of received revocation requests. */
  readonly revocationRequests: Record<string, string>[] = [];
  /** The number of requests for `smart-configuration`. */
  discoveries = 0;
  liveRefreshToken: string | undefined;
  #listening!: TestServer;
  readonly #codes = new Map<string, CodeFacts>();

  static async listen(): Promise<FakeHealthSystem> {
    const system = new FakeHealthSystem();
    system.#listening = await listen(system.#app());
    return system;
  }

  get url(): string {
    return this.#listening.url;
  }

  close(): Promise<void> {
    return this.#listening.close();
  }

  endpoint(release: FhirVersion): HealthSystemEndpoint {
    return { fhirVersion: release, fhir_base_url: `${this.url}/fhir/${release}` };
  }

  #app(): express.Express {
    const app = express().use(express.urlencoded({ extended: false }));
    app.get('/fhir/:release/.well-known/smart-configuration', (request, response) => {
      const { smart, revocation } = this.behaviour;
      this.discoveries++;
      if (smart === null || (request.params.release === 'dstu2' && !this.behaviour.smartInDstu2))
        response.status(404).send('<html>not here</html>');
      else
        response.json({
          authorization_endpoint: this.#authorize(request.params.release),
          token_endpoint: `${this.url}/token`,
          ...(revocation ? { revocation_endpoint: `${this.url}/revoke` } : {}),
          ...smart,
        });
    });
    app.get('/fhir/:release/metadata', (request, response) => {
      const expected = request.params.release === 'dstu2' ? 'application/json+fhir' : 'application/fhir+json';
      if (this.behaviour.strictAccept && request.headers.accept !== expected)
        return void response.status(406).send('no');
      response.send(`\uFEFF${JSON.stringify(this.#statement(request.params.release))}`);
    });
    app.get(['/authorize', '/authorize/:release'], async (request, response) => {
      await this.behaviour.beforeAuthorize?.();
      this.#authorizeRoute(request, response);
    });
    app.post('/token', async (request, response) => {
      const form = request.body as Record<string, string>;
      this.tokenRequests.push(form);
      await new Promise((resolve) => setTimeout(resolve, this.behaviour.delayMs));
      await this.behaviour.beforeToken?.();
      if (this.behaviour.token?.(request, response)) return;
      if (!this.behaviour.knowsClient(request)) response.status(401).json({ error: 'invalid_client' });
      else if (form['grant_type'] === 'refresh_token') this.#refresh(form, response);
      else this.#exchange(form, response);
    });
    app.get('/.well-known/openid-configuration', (_request, response) => {
      response.json({ userinfo_endpoint: `${this.url}/userinfo` });
    });
    app.get('/userinfo', (request, response) => {
      const { userinfo } = this.behaviour;
      if (userinfo && isWithToken(request)) response.json(userinfo);
      else response.status(401).send();
    });
    app.get('/fhir/:release/Patient', (request, response) => {
      const { patients } = this.behaviour;
      if (!patients || !isWithToken(request)) return void response.status(403).send();
      const entry = patients.map((id) => ({ resource: { resourceType: 'Patient', id } }));
      response.json({ resourceType: 'Bundle', type: 'searchset', entry });
    });
    app.get('/fhir/:release/Patient/:id', (request, response) => {
      const { patient, patientElements } = this.behaviour;
      if (!patientElements || !isWithToken(request) || request.params.id !== patient)
        return void response.status(403).send();
      response.json({ resourceType: 'Patient', id: patient, ...patientElements });
    });
    app.post('/revoke', (request, response) => {
      this.revocationRequests.push(request.body as Record<string, string>);
      response.status(this.behaviour.revocation ?? 404).json({});
    });
    return app;
  }

  #authorize(release: string): string {
    return `${this.url}/authorize${this.behaviour.apart ? `/${release}` : ''}`;
  }

  #statement(release: string): object {
    const uris = {
      url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
      extension: [
        { url: 'token', valueUri: `${this.url}/token` },
        { url: 'authorize', valueUri: this.#authorize(release) },
      ],
    };
    const security = this.behaviour.metadata
      ? { extension: [{ url: 'http://example.org/other', valueCode: 'x' }, uris] }
      : {};
    return {
      resourceType: release === 'dstu2' ? 'Conformance' : 'CapabilityStatement',
      fhirVersion: { dstu2: '1.0.2', stu3: '3.0.2' }[release] ?? '4.0.1',
      rest: [{ mode: 'server', security }],
    };
  }

  #authorizeRoute(request: Request, response: Response): void {
    const query = request.query as Record<string, string>;
    this.authorizations.push(query);
    const { authorize, authorizationResponse, refusesScopes } = this.behaviour;
    const error = refusesScopes((query['scope'] ?? '').split(' '))
      ? 'invalid_scope'
      : authorize === 'grant'
        ? undefined
        : authorize;
    const code = randomBytes(12).toString('hex');
    this.#codes.set(code, {
      challenge: query['code_challenge'] ?? '',
      redirectUri: query['redirect_uri'] ?? '',
      scope: query['scope'] ?? '',
    });
    const parameters = new URLSearchParams({
      state: query['state'] ?? '',
      ...(error ? { error } : { code }),
      ...authorizationResponse,
    });
    response.redirect(`${query['redirect_uri']}?${parameters.toString()}`);
  }

  #exchange(form: Record<string, string>, response: Response): void {
    const code = this.#codes.get(form['code'] ?? '');
    this.#codes.delete(form['code'] ?? '');
    const challenge = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url');
    if (!code || code.challenge !== challenge || code.redirectUri !== form['redirect_uri'])
      return void response.status(400).json({ error: 'invalid_grant' });
    const { omitScope, grantedScope } = this.behaviour;
    this.#issue(response, omitScope ? {} : { scope: grantedScope ?? code.scope }, this.behaviour.refresh !== 'never');
  }

  #refresh(form: Record<string, string>, response: Response): void {
    if (form['refresh_token'] !== this.liveRefreshToken)
      return void response.status(400).json({ error: 'invalid_grant' });
    this.#issue(response, {}, this.behaviour.refresh === 'rotating');
  }

  #issue(response: Response, extra: object, withRefresh: boolean): void {
    if (withRefresh) this.liveRefreshToken = `refresh-${randomBytes(8).toString('hex')}`;
    const { patient, expiresIn } = this.behaviour;
    response.json({
      access_token: `access-${randomBytes(8).toString('hex')}`,
      token_type: 'bearer',
      ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
      ...(withRefresh ? { refresh_token: this.liveRefreshToken } : {}),
      ...(patient === undefined ? {} : { patient }),
      ...extra,
    });
  }
}

function isWithToken({ headers }: Request): boolean {
  return headers.authorization?.startsWith('Bearer access-') === true;
}
