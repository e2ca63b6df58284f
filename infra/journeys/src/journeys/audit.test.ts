import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { raisedLimits } from '@tributary/local';
import { bearer, http } from '../suite/http';
import { OwnSuite } from '../suite/own-suite';
import type { Ready } from '../suite/ready';
import { type User, newUser } from '../suite/users';

const portBase = Number(process.env['JOURNEY_PORT_BASE'] ?? 14_000) + 800;
const local = process.env['JOURNEY_HOME'] ? describe : describe.skip;

/** One request of the load. */
interface Call {
  method: string;
  url: string;
  headers: Record<string, string>;
  json?: unknown;
  form?: Record<string, string>;
}

/** An event as `audit export` prints it. */
interface Exported {
  requestId?: string;
  kind: string;
  outcome: string;
}

local('the audit log under failures', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-audit-'));
  const suite = new OwnSuite(join(folder, 'home'), portBase, raisedLimits);
  let ready: Ready;
  let user: User;
  /** The status of each response that has come completely, by request id. */
  const answered = new Map<string, number>();
  beforeAll(async () => {
    ready = await suite.start('--fresh');
    user = await newUser(ready, ready.client);
  });
  afterAll(async () => {
    await suite.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function calls(): Record<string, Call> {
    const [own, client] = [bearer(user.access_token), { ...clientOf(ready) }];
    const fhir = `${ready.base_url}/r4`;
    return {
      create: {
        method: 'POST',
        url: `${fhir}/Basic`,
        headers: own,
        json: { resourceType: 'Basic', code: { text: 'x' } },
      },
      search: { method: 'GET', url: `${fhir}/Basic?_count=2`, headers: own },
      read: { method: 'GET', url: `${fhir}/Basic/${randomUUID()}`, headers: own },
      code: {
        method: 'POST',
        url: `${ready.base_url}/user-management/v1/user/auth-code`,
        headers: client,
        form: { service_user_id: String(user.service_user_id) },
      },
      token: {
        method: 'POST',
        url: `${ready.auth_url}/oauth2/token`,
        headers: {},
        form: { ...client, grant_type: 'refresh_token', refresh_token: 'unknown' },
      },
      connections: { method: 'GET', url: `${ready.base_url}/connect/v1/connections`, headers: own },
      export: { method: 'GET', url: `${ready.analytics_url}/bulk-data/r4/$export?_type=Basic`, headers: own },
    };
  }

  async function send(kind: string): Promise<void> {
    const { method, url, headers, ...body } = calls()[kind]!;
    const requestId = `crash-${kind}-${randomUUID()}`;
    try {
      const { status } = await http(method, url, { headers: { ...headers, 'X-Request-Id': requestId }, ...body });
      answered.set(requestId, status);
    } catch {
      // The connection was lost, so the request was not answered.
    }
  }

  it('has the event of each answered request when services and PostgreSQL are killed under load', async () => {
    let isOver = false;
    const load = Object.keys(calls()).map(async (kind) => {
      while (!isOver) {
        await send(kind);
        await pause(20);
      }
    });
    try {
      for (const name of ['fhir-store', 'auth', 'postgres', 'user-management', 'analytics-export', 'fhir-store']) {
        await pause(700);
        await kill(name);
        // Each kind is answered again before the next failure.
        await Promise.all(Object.keys(calls()).map(untilAnswered));
      }
    } finally {
      isOver = true;
      await Promise.all(load);
    }

    const events = await exported();
    // Requests that the gateway or a failing service has refused have reached no data.
    const carriedOut = [...answered].filter(([, status]) => status < 500 && status !== 401 && status !== 429);
    expect(carriedOut.filter(([requestId]) => !events.has(requestId))).toEqual([]);
    for (const kind of Object.keys(calls()))
      expect([kind, carriedOut.filter(([requestId]) => requestId.startsWith(`crash-${kind}-`)).length > 5]).toEqual([
        kind,
        true,
      ]);
    // An event says what was answered.
    for (const [requestId, status] of carriedOut)
      expect([
        requestId,
        events.get(requestId)?.some(({ outcome }) => (outcome === 'success') === status < 400),
      ]).toEqual([requestId, true]);
  });

  it('is whole, and each of its blocks was written by the process of its stream', async () => {
    const report = await suite.admin('audit', 'verify', '--contents');
    expect(report).toContain('the audit log is complete and unchanged');
  });

  /** Kills a service, once it runs if it is just being started again. */
  async function kill(name: string): Promise<void> {
    for (;;) {
      try {
        process.kill(suite.pid(name), 'SIGKILL');
        return;
      } catch {
        await pause(100);
      }
    }
  }

  async function untilAnswered(kind: string): Promise<void> {
    const isAnswered = (status: number): boolean => status < 500;
    for (const from = answered.size; ;) {
      const since = [...answered].slice(from).filter(([requestId]) => requestId.startsWith(`crash-${kind}-`));
      if (since.some(([, status]) => isAnswered(status))) return;
      await pause(100);
    }
  }

  /** The events of the load by their request id. */
  async function exported(): Promise<Map<string, Exported[]>> {
    const events = new Map<string, Exported[]>();
    for (const line of (await suite.admin('audit', 'export')).trim().split('\n')) {
      const event = JSON.parse(line) as Exported;
      if (event.requestId) events.set(event.requestId, [...(events.get(event.requestId) ?? []), event]);
    }
    return events;
  }
});

function clientOf({ client: { client_id, client_secret } }: Ready): { client_id: string; client_secret: string } {
  return { client_id, client_secret };
}
