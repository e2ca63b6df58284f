import { createHash, randomBytes } from 'node:crypto';
import type { Express } from 'express';
import request from 'supertest';
import { createApp, createSandbox } from '../src/app';
import { readConfig, type Config } from '../src/config';
import { loadPeople } from '../src/records/load-people';
import type { Release } from '../src/releases';
import type { Sandbox } from '../src/sandbox';

export const origin = 'http://sandbox.example';
export const callback = 'http://client.example/callback';

/** A sandbox in this process, with a clock that the test sets. */
export interface Running {
  app: Express;
  sandbox: Sandbox;
  clock: { now: number };
}

export async function startSandbox(variables: Record<string, string> = {}): Promise<Running> {
  const config: Config = readConfig({ SANDBOX_URL: origin, SANDBOX_REDIRECT_URIS: callback, ...variables }, []);
  const clock = { now: Date.now() };
  const sandbox = createSandbox(config, await loadPeople(config.recordsDirectory), () => clock.now);
  return { app: createApp(sandbox), sandbox, clock };
}

export interface SignIn {
  hint: string;
  release?: Release;
  scope?: string;
  clientId?: string;
  /** The path prefix of scenarios, `/s/…`. */
  prefix?: string;
  nonce?: string;
}

const everyScope = 'openid fhirUser launch/patient offline_access patient/*.read';

export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The query of an authorization request. */
export function authorizationQuery(signIn: SignIn, challenge: string): Record<string, string> {
  const { hint, release = 'r4', scope = everyScope, clientId = 'tributary', prefix = '', nonce } = signIn;
  return {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: callback,
    scope,
    state: 'a state',
    aud: `${origin}${prefix}/fhir/${release}`,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    prompt: 'none',
    login_hint: hint,
    ...(nonce === undefined ? {} : { nonce }),
  };
}

/** Signs in without pages. @returns the authorization code and its PKCE verifier */
export async function signIn({ app }: Running, options: SignIn): Promise<{ code: string; verifier: string }> {
  const { verifier, challenge } = pkce();
  const answer = await request(app)
    .get(`${options.prefix ?? ''}/oauth2/authorize`)
    .query(authorizationQuery(options, challenge))
    .expect(302);
  const code = new URL(String(answer.headers['location'])).searchParams.get('code');
  if (!code) throw new Error(`refused: ${String(answer.headers['location'])}`);
  return { code, verifier };
}

export interface Tokens {
  access_token: string;
  refresh_token?: string;
  patient: string;
  scope: string;
  expires_in: number;
  id_token?: string;
}

export function exchangeForm(code: string, verifier: string): Record<string, string> {
  return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: callback };
}

/** The complete sign-in of the confidential client. */
export async function tokensFor(running: Running, options: SignIn): Promise<Tokens> {
  const { code, verifier } = await signIn(running, options);
  const answer = await request(running.app)
    .post(`${options.prefix ?? ''}/oauth2/token`)
    .auth('tributary', 'tributary-sandbox-secret')
    .type('form')
    .send(exchangeForm(code, verifier))
    .expect(200);
  return answer.body as Tokens;
}

export function refresh({ app }: Running, refreshToken: string, prefix = ''): request.Test {
  return request(app)
    .post(`${prefix}/oauth2/token`)
    .auth('tributary', 'tributary-sandbox-secret')
    .type('form')
    .send({ grant_type: 'refresh_token', refresh_token: refreshToken });
}

export interface Bundle {
  total?: number;
  link: { relation: string; url: string }[];
  entry?: { fullUrl?: string; resource: Resource; search: { mode: string } }[];
}

export interface Resource {
  resourceType: string;
  id?: string;
  [element: string]: unknown;
}

/** Sends a GET request to an absolute URL of the sandbox. */
export function get({ app }: Running, address: string, token?: string): request.Test {
  const path = address.startsWith(origin) ? address.slice(origin.length) : address;
  const call = request(app).get(path).buffer(true).parse(textOf);
  return token === undefined ? call : call.set('Authorization', `Bearer ${token}`);
}

/** All resources of a search, from all its pages. */
export async function everyPage(running: Running, address: string, token: string): Promise<Resource[]> {
  const resources: Resource[] = [];
  for (let next: string | undefined = address; next;) {
    const answer = await get(running, next, token).expect(200);
    const bundle = JSON.parse(answer.body as string) as Bundle;
    resources.push(...(bundle.entry ?? []).map(({ resource }) => resource));
    next = bundle.link.find(({ relation }) => relation === 'next')?.url;
  }
  return resources;
}

function textOf(response: request.Response, done: (error: Error | null, text: string) => void): void {
  const stream = response as unknown as NodeJS.ReadableStream;
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  stream.on('end', () => done(null, Buffer.concat(parts).toString('utf8')));
}
