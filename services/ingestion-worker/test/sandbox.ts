import { createHash, randomBytes } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FhirVersion } from '@tributary/contracts';
import { onChosenPort } from '@tributary/test-environment';
import axios from 'axios';
import { endOf, runSource } from './child-process';

const main = join(__dirname, '..', '..', 'sandbox-health-system', 'src', 'main.ts');
const redirectUri = 'http://client.example/callback';
const clientAuthentication = { username: 'tributary', password: 'tributary-sandbox-secret' };
const hosts = 40;
export const defaultScope = 'openid fhirUser launch/patient offline_access patient/*.read';

/** What the sandbox has observed of the clients of one person (`GET /sandbox/observations`). */
export interface Seen {
  requests: Record<string, number>;
  searches: Record<string, number>;
  statuses: Record<string, number>;
  tokens: Record<string, number>;
  tokensLeaked: number;
  mostAtOnce: number;
}

export interface Tokens {
  access_token: string;
  refresh_token?: string;
  expires_in: number;
  scope: string;
  patient: string;
}

/**
 * The sandbox health system in a child process. It listens on forty loopback addresses, which the worker treats as
 * forty hosts.
 */
export class Sandbox {
  #process: ChildProcess | undefined;

  private constructor(private readonly port: number) {}

  static async start(): Promise<Sandbox> {
    return onChosenPort(async (port) => {
      const sandbox = new Sandbox(port);
      await sandbox.restart();
      return sandbox;
    });
  }

  async stop(): Promise<void> {
    this.#process?.kill('SIGKILL');
    if (this.#process) await endOf(this.#process);
  }

  /** Stops the process: connections are refused. */
  async shutDown(): Promise<void> {
    await this.stop();
  }

  /** Starts the process. Tokens of an earlier process stay valid, as they are self-contained. */
  async restart(): Promise<void> {
    const origins = Array.from({ length: hosts }, (_x, index) => `http://127.0.0.${index + 2}:${this.port}`);
    const variables = { PORT: String(this.port), SANDBOX_REDIRECT_URIS: redirectUri, SANDBOX_ORIGINS: origins.join() };
    const child = (this.#process = runSource(main, variables));
    // Its first output says that it listens. A request to the port could reach another process that has taken it.
    await Promise.race([
      child.stdout && once(child.stdout, 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error('the sandbox did not start'))),
    ]);
  }

  /** The origin of one of the hosts. */
  origin(host = 0): string {
    return `http://127.0.0.${(host % hosts) + 2}:${this.port}`;
  }

  fhirBase(release: FhirVersion, host = 0): string {
    return `${this.origin(host)}/fhir/${release}`;
  }

  /** Signs in without the login page. @param hint a username, followed by `+scenario` for each scenario */
  async signIn(hint: string, release: FhirVersion, host = 0, scope = defaultScope): Promise<Tokens> {
    const verifier = randomBytes(32).toString('base64url');
    const query = {
      response_type: 'code',
      client_id: clientAuthentication.username,
      redirect_uri: redirectUri,
      scope,
      state: 'state',
      aud: this.fhirBase(release, host),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      prompt: 'none',
      login_hint: hint,
    };
    const authorized = await axios.get(`${this.origin(host)}/oauth2/authorize`, {
      params: query,
      maxRedirects: 0,
      validateStatus: (status) => status === 302,
    });
    const code = new URL(String(authorized.headers['location'])).searchParams.get('code') ?? '';
    return this.#token(host, {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: redirectUri,
    });
  }

  /** @throws AxiosError when the token endpoint refuses */
  refresh(refreshToken: string, host = 0): Promise<Tokens> {
    return this.#token(host, { grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  async seen(username: string): Promise<Seen> {
    return (await axios.get<Seen>(`${this.origin()}/sandbox/observations/${username}`)).data;
  }

  /** The largest number of concurrent requests that a host has had. */
  async maxConcurrentRequests(host: number): Promise<number> {
    const { data } = await axios.get<Record<string, { mostAtOnce: number }>>(`${this.origin()}/sandbox/hosts`);
    return data[new URL(this.origin(host)).host]?.mostAtOnce ?? 0;
  }

  async forgetSeen(): Promise<void> {
    await axios.delete(`${this.origin()}/sandbox/observations`);
  }

  /** Updates or adds a resource of the source record. */
  async change(username: string, release: FhirVersion, resource: object): Promise<void> {
    await axios.put(`${this.origin()}/sandbox/patients/${username}/${release}`, JSON.stringify(resource), {
      headers: { 'Content-Type': 'application/json' },
    });
  }

  /** Removes a resource of the source record. */
  async remove(username: string, release: FhirVersion, type: string, id: string): Promise<void> {
    await axios.delete(`${this.origin()}/sandbox/patients/${username}/${release}/${type}/${id}`);
  }

  async #token(host: number, form: Record<string, string>): Promise<Tokens> {
    return (
      await axios.post<Tokens>(`${this.origin(host)}/oauth2/token`, new URLSearchParams(form), {
        auth: clientAuthentication,
      })
    ).data;
  }
}
