import { z } from 'zod';
import type { Load, Workload } from './workload';
import { compareRecords } from './compare-records';
import { ExportFailed, exportRecord } from './export';
import { type Http, bearer, get } from './http';
import { sourceRecord } from './source-records';
import type { User } from './users';
import { pause } from '../pause';

const maxRedirects = 15;
const pollMs = 1_000;
const connectionList = z.object({
  entry: z.array(
    z.object({
      connection_id: z.string(),
      status: z.string(),
      complete: z.boolean().optional(),
      error: z.unknown().optional(),
    }),
  ),
});
type Connection = z.infer<typeof connectionList>['entry'][number];

export interface CollectionPlan {
  /** The user of the sandbox whose record is collected. */
  username: string;
  /** The scenario of misbehaviour in the sandbox; empty for none. */
  scenario: string;
  /** The delay of the connection after the start of the load, in milliseconds. */
  afterMs: number;
}

/** A user who connects to the sandbox and whose record is collected repeatedly. */
export class CollectingUser implements Workload {
  readonly operations = [];
  /** The number of sign-ins and requested refreshes; each can start one collection. */
  #requestedCollections = 0;
  #connected = false;
  #collected = 0;

  constructor(
    private readonly load: Load,
    private readonly user: User,
    private readonly plan: CollectionPlan,
  ) {}

  ledger(): Record<string, number> {
    return { collections: this.#collected };
  }

  async run(signal: AbortSignal): Promise<void> {
    await pause(this.plan.afterMs, signal);
    while (!signal.aborted && !this.#connected) {
      this.#connected = await this.#signIn();
      if (!this.#connected) await pause(pollMs, signal);
    }
    while (!signal.aborted) {
      const connections = await this.#connections(this.load.http);
      if (isSettled(connections)) await this.#refresh(connections ?? []);
      await pause(pollMs, signal);
    }
  }

  async check(http: Http, signal: AbortSignal): Promise<void> {
    if (!this.#connected) return;
    let connections = await this.#connections(http);
    while (!signal.aborted && !isSettled(connections)) {
      await pause(pollMs, signal);
      connections = await this.#connections(http);
    }
    const name = `${this.user.app_user_id} (${this.plan.username}${this.plan.scenario ? `+${this.plan.scenario}` : ''})`;
    if (!connections?.length) this.load.findings.add('lost', `the connection of ${name} does not exist`);
    for (const connection of connections ?? []) {
      if (connection.status === 'active') await this.#checkCollected(connection, name, http, signal);
      else
        this.load.findings.add(
          'lost',
          `the connection of ${name} is ${connection.status}: ${JSON.stringify(connection.error) ?? 'no reason given'}`,
        );
    }
  }

  async #checkCollected(connection: Connection, name: string, http: Http, signal: AbortSignal): Promise<void> {
    try {
      const { resources } = await exportRecord(this.load, this.user, http, signal);
      const missing = connection.complete === false ? 'lost' : 'falsely complete';
      compareRecords(name, sourceRecord(this.plan.username), resources, missing, this.load.findings);
    } catch (error) {
      this.load.findings.add(
        error instanceof ExportFailed ? 'lost' : 'falsely complete',
        `${name}: ${error instanceof Error ? error.message : 'the export cannot be read'}`,
      );
    }
    for (const type of ['connection.active', 'collection.completed']) {
      const count = (): number => this.load.webhooks.count(type, connection.connection_id);
      while (count() === 0 && !signal.aborted) await pause(pollMs, signal);
      if (count() === 0) this.load.findings.add('lost', `the webhook ${type} of ${name}`);
      if (count() > this.#requestedCollections)
        this.load.findings.add(
          'duplicated',
          `the webhook ${type} of ${name} came under ${count()} ids, and ${this.#requestedCollections} collections were requested`,
        );
    }
  }

  async #refresh(connections: readonly Connection[]): Promise<void> {
    for (const { connection_id } of connections) {
      this.#requestedCollections++;
      const answer = await this.load.http.once({
        operation: 'collect again',
        method: 'POST',
        url: `${this.load.ready.base_url}/connect/v1/connections/${connection_id}/refresh`,
        headers: bearer(this.user.accessToken),
      });
      if (answer?.status === 200 || answer?.status === 202) this.#collected++; // The previous collection has ended.
    }
  }

  async #connections(http: Http): Promise<Connection[] | undefined> {
    const url = `${this.load.ready.base_url}/connect/v1/connections`;
    const answer = await http.once(get('connections', url, this.user.accessToken));
    return answer?.status === 200 ? connectionList.parse(answer.json()).entry : undefined;
  }

  /** Follows the redirects of one sign-in with cookies. Returns whether it ended at the client with success. */
  async #signIn(): Promise<boolean> {
    const { ready } = this.load;
    const { username, scenario } = this.plan;
    const query = new URLSearchParams({
      client_id: this.load.client.client_id,
      access_token: this.user.accessToken,
      fhirVersion: 'r4',
      prompt: 'none',
      login_hint: scenario ? `${username}+${scenario}` : username,
    });
    this.#requestedCollections++;
    const cookies = new Map<string, string>();
    let url = `${ready.base_url}/connect/system/clinical/${ready.sandbox.health_system_id}?${query.toString()}`;
    for (let hop = 0; hop < maxRedirects; hop++) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await this.load.http.once({
        operation: 'connect',
        method: 'GET',
        url,
        headers: { Accept: 'application/json', ...(cookie ? { cookie } : {}) },
      });
      for (const line of answer?.headers.getSetCookie() ?? []) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = answer?.headers.get('location');
      if (!location) return false;
      url = new URL(location, url).href;
      if (url.startsWith(ready.client.redirect_uri)) return new URL(url).searchParams.get('success') === 'true';
    }
    return false;
  }
}

function isSettled(connections: readonly Connection[] | undefined): boolean {
  return (
    connections !== undefined && connections.length > 0 && connections.every(({ status }) => status !== 'collecting')
  );
}
