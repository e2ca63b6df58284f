import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { raisedLimits } from '@tributary/local';
import { bearer } from '../suite/http';
import { OwnSuite } from '../suite/own-suite';
import type { Ready } from '../suite/ready';
import { newUser } from '../suite/users';

const portBase = Number(process.env['JOURNEY_PORT_BASE'] ?? 14_000) + 900;
const local = process.env['JOURNEY_HOME'] && existsSync('/proc/self/task') ? describe : describe.skip;

/** No request may take longer, whatever hangs. */
const longestMs = 60_000;
/** Each request of a run has a token of its own, except for those to one service. */
const tokensOfARun = 6;

/** A process that hangs, and what other requests get meanwhile; those that are not named are served. */
interface Hanging {
  /** The requests that this process itself answers. */
  own: readonly string[];
  /** The requests that need it, with their outcome. */
  refused: Readonly<Record<string, number | string>>;
}

const needingAuth = {
  users: 503,
  connections: 503,
  connect: 503,
  'health systems': 503,
  FHIR: 503,
  export: 503,
  'tool for FHIR': 503,
  'tool for connections': 503,
};
const processes: Readonly<Record<string, Hanging>> = {
  postgres: { own: [], refused: { ...needingAuth, introspection: 503 } },
  // Credentials are refused without it, and everything else works.
  redis: { own: [], refused: { introspection: 503, users: 503, connect: 503 } },
  auth: { own: ['metadata of auth', 'introspection'], refused: needingAuth },
  search: { own: ['health systems'], refused: { connect: 503 } },
  'user-management': {
    own: ['users', 'connections', 'connect'],
    refused: { 'tool for connections': 'the tool failed' },
  },
  'fhir-store': { own: ['FHIR', 'metadata of FHIR'], refused: { 'tool for FHIR': 'the tool failed' } },
};

local('while a downstream hangs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-stuck-'));
  const suite = new OwnSuite(join(folder, 'home'), portBase, { ...raisedLimits, CALL_TIMEOUT_SECONDS: '20' });
  let ready: Ready;
  /** Tokens of users, which services have not cached. */
  let unseen: string[];
  let seen: string[];
  beforeAll(async () => {
    ready = await suite.start('--fresh');
    const count = tokensOfARun * (Object.keys(processes).length + 1);
    const users = await Promise.all(Array.from({ length: count }, () => newUser(ready, ready.client)));
    unseen = users.map(({ access_token }) => access_token);
    seen = unseen.splice(0, tokensOfARun);
  });
  afterAll(async () => {
    await suite.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The requests of several users, each with a token that no service has seen. */
  function requests(tokens: readonly string[]): Record<string, () => Promise<Response>> {
    const client = { client_id: ready.client.client_id, client_secret: ready.client.client_secret };
    const { base_url, auth_url, search_url, analytics_url } = ready;
    const as = (index: number): Record<string, string> => bearer(tokens[index] ?? '');
    const send = (
      method: string,
      url: string,
      headers: Record<string, string> = {},
      body?: string | URLSearchParams,
    ) => {
      return (): Promise<Response> =>
        fetch(url, {
          method,
          headers,
          redirect: 'manual',
          signal: AbortSignal.timeout(longestMs),
          ...(body === undefined ? {} : { body }),
        });
    };
    const call = (name: string, input: object): string =>
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
    const mcp = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const link = new URLSearchParams({ client_id: client.client_id, access_token: tokens[5] ?? '' });
    return {
      documentation: send('GET', `${base_url}/docs`),
      'metadata of auth': send('GET', `${auth_url}/.well-known/oauth-authorization-server`),
      'metadata of FHIR': send('GET', `${base_url}/r4/metadata`),
      'metadata of exports': send('GET', `${analytics_url}/bulk-data/r4/metadata`),
      introspection: send(
        'POST',
        `${auth_url}/oauth2/introspect`,
        {},
        new URLSearchParams({ ...client, token: tokens[0] ?? '' }),
      ),
      users: send('GET', `${base_url}/user-management/v1/user?limit=1`, client),
      connections: send('GET', `${base_url}/connect/v1/connections`, as(0)),
      connect: send('GET', `${base_url}/connect/system/clinical/${ready.sandbox.health_system_id}?${link}`),
      'health systems': send('POST', `${search_url}/api/search`, as(1), new URLSearchParams({ query: 'sandbox' })),
      FHIR: send('GET', `${base_url}/r4/Patient`, as(2)),
      export: send('GET', `${analytics_url}/bulk-data/r4/$export`, as(3)),
      'tool for FHIR': send('POST', `${base_url}/mcp`, { ...mcp, ...as(4) }, call('search_fhir', { type: 'Patient' })),
      'tool for connections': send('POST', `${base_url}/mcp`, { ...mcp, ...as(4) }, call('list_connections', {})),
    };
  }

  /** Repeats a request until everything that it needs is back. */
  async function untilServed(): Promise<void> {
    for (let left = 300; left > 0; left--) {
      const done = await Promise.all(
        Object.values(requests(seen)).map((send) =>
          send().then(
            ({ status }) => status < 400,
            () => false,
          ),
        ),
      );
      if (!done.includes(false)) return;
      await pause(200);
    }
    throw new Error('the suite does not recover');
  }

  it.each(Object.entries(processes))(
    '%s, every request ends, and what does not need it is served',
    async (name, hanging) => {
      await untilServed();
      const all = Object.entries(requests(unseen.splice(0, tokensOfARun))).filter(
        ([request]) => !hanging.own.includes(request),
      );
      const stopped = withChildren(suite.pid(name));
      const statuses: Record<string, number | string> = {};
      try {
        for (const pid of stopped) process.kill(pid, 'SIGSTOP');
        await Promise.all(
          all.map(async ([request, send]) => {
            statuses[request] = await send().then(outcomeOf, (error: Error) => error.name);
          }),
        );
      } finally {
        for (const pid of stopped) process.kill(pid, 'SIGCONT');
      }
      const served = Object.fromEntries(all.map(([request]) => [request, request === 'connect' ? 302 : 200]));
      expect(statuses).toEqual({ ...served, ...hanging.refused });
    },
  );
});

/** The status of a response, and how a tool says that it failed. */
async function outcomeOf(response: Response): Promise<number | string> {
  const text = await response.text();
  return text.includes('"isError":true') ? 'the tool failed' : response.status;
}

/** A process and its children: PostgreSQL has one process per connection. */
function withChildren(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}
