import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Addresses } from '@tributary/local';
import { describeLocal } from '../suite/database';
import { bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type ClientCredentials, newClient, newUser } from '../suite/users';
import { comparable, send } from './check-route';
import { type Operation, operationsOf } from './operations';

const ready = readySuite();
const addresses = new Addresses(Number(process.env['JOURNEY_PORT_BASE'] ?? 0));

type Service =
  | 'auth'
  | 'search'
  | 'user-management'
  | 'fhir-store'
  | 'analytics-export'
  | 'audit-log'
  | 'ingestion-worker'
  | 'mcp-server'
  | 'console'
  | 'documentation';

/**
 * The internal routes of each service of the suite, and the services that may call each. Services without such routes
 * serve their health only.
 */
const services: Readonly<Record<Service, Readonly<Record<string, readonly Service[]>>>> = {
  auth: {
    authenticateClient: ['user-management', 'analytics-export', 'audit-log'],
    clientsOfOrganisation: ['console'],
    createClient: ['console'],
    createTemporarySecret: ['console'],
    findClient: ['user-management', 'console'],
    findDeletingClients: ['user-management'],
    introspectAccessTokens: [
      'user-management',
      'search',
      'fhir-store',
      'analytics-export',
      'audit-log',
      'mcp-server',
      'console',
    ],
    issueAccessToken: ['user-management'],
    issueCode: ['user-management'],
    operatorListClients: ['console'],
    operatorReadClient: ['console'],
    operatorSetClientState: ['console'],
    removeClient: ['user-management'],
    revokeTokensOfUser: ['user-management'],
  },
  search: { findHealthSystem: ['user-management', 'console'], operatorListSources: ['console'] },
  'user-management': {
    accessToken: ['ingestion-worker'],
    beginConnectSession: ['console'],
    connectionStatuses: ['ingestion-worker'],
    endConnectLink: ['console'],
    findCollection: ['ingestion-worker'],
    findConnection: ['ingestion-worker'],
    operatorCheckRegistration: ['console'],
    operatorCountUsers: ['console'],
    operatorListOutcomes: ['console'],
    operatorListPausedHosts: ['console'],
    operatorListRegistrations: ['console'],
    operatorPauseHost: ['console'],
    operatorReadKeys: ['console'],
    operatorReadQueue: ['console'],
    operatorResumeHost: ['console'],
    registeredPatterns: ['search'],
    reportCollection: ['ingestion-worker'],
    reportCompletedExport: ['analytics-export'],
  },
  'fhir-store': {
    deleteFromSource: ['ingestion-worker'],
    destroyRecord: ['user-management'],
    listSourceReferences: ['ingestion-worker'],
    listUnresolvedReferences: ['ingestion-worker'],
    operatorReadKeys: ['console'],
    resolveReferences: ['ingestion-worker'],
    storeAttachment: ['ingestion-worker'],
    storeBatch: ['ingestion-worker'],
  },
  'analytics-export': {},
  'audit-log': { operatorReadAudit: ['console'], operatorVerifyAudit: ['console'] },
  'ingestion-worker': { operatorReadKeys: ['console'] },
  'mcp-server': {},
  console: {},
  documentation: {},
};
const routesOf = (service: Service): string[] => Object.keys(services[service]);
const names = Object.keys(services) as Service[];

/** Processes of the suite that are no services of Tributary. */
const others = ['gateway', 'postgres', 'redis', 'sandbox-health-system', 'sandbox-mail'];

interface Running {
  pids: Record<string, number>;
  environments: Record<string, Record<string, string>>;
}

const basic = (name: string, key: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}`,
});

/** Over TLS, the internal APIs respond only to certificates of services, which `fetch` cannot show. */
const describePlain = ready.ca_file === undefined ? describeLocal : describe.skip;

describePlain('isolation of internal routes', () => {
  // Read when tests run: jest also executes the body of a suite that it skips, such as in containers.
  let running: Running;
  const keyOf = (service: string): string => running.environments[service]?.['SERVICE_KEY'] ?? '';
  const callersOf = (service: string): string[] =>
    Object.keys(JSON.parse(running.environments[service]?.['SERVICE_KEYS'] ?? '{}') as object);
  const baseOf = (service: Service): string => addresses.url(`${service} internal`);
  let client: ClientCredentials;
  let userToken: string;
  beforeAll(async () => {
    running = JSON.parse(readFileSync(join(process.env['JOURNEY_HOME'] ?? '', 'running.json'), 'utf8')) as Running;
    client = await newClient(ready, 'isolation of internal routes');
    userToken = (await newUser(ready, client)).access_token;
  });

  it('covers every service of the suite', () => {
    expect([...names, ...others].toSorted()).toEqual(Object.keys(running.pids).toSorted());
  });

  it.each(names)('%s serves these routes and no others', async (service) => {
    const [caller = ''] = callersOf(service);
    const url = `${baseOf(service)}/internal/openapi.json`;
    if (routesOf(service).length === 0) {
      expect((await http('GET', url, { headers: basic(service, keyOf(service)) })).status).toBe(404);
      return;
    }
    const operations = await operationsOf(url, basic(caller, keyOf(caller)));
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(routesOf(service));
    expect(new Set(operations.flatMap(({ security }) => security))).toEqual(new Set(['service_key']));
  });

  /** Credentials that no internal route of the service accepts. */
  function refusedBy(service: Service): [string, Record<string, string>][] {
    const [caller = ''] = callersOf(service);
    const stranger = names.find((name) => keyOf(name) !== '' && !callersOf(service).includes(name)) ?? '';
    const key = keyOf(caller);
    return [
      ['none', {}],
      ['forged', basic(caller, randomBytes(key.length).toString('base64url').slice(0, key.length))],
      ['of a service that may not call', basic(stranger, keyOf(stranger))],
      ['of one service with the name of another', basic(caller, keyOf(stranger))],
      ['of a client', basic(client.client_id, client.client_secret)],
      ['of a client in headers', { client_id: client.client_id, client_secret: client.client_secret }],
      ['of a user', bearer(userToken)],
      ['without a name', basic('', key)],
    ];
  }

  it.each(names.filter((service) => routesOf(service).length > 0))(
    '%s refuses everyone but the services that it knows',
    async (service) => {
      const [caller = ''] = callersOf(service);
      const url = `${baseOf(service)}/internal/openapi.json`;
      const document: Operation = {
        operationId: 'document',
        method: 'GET',
        path: '/internal/openapi.json',
        security: [],
      };
      const operations = [...(await operationsOf(url, basic(caller, keyOf(caller)))), document];
      const problems: string[] = [];
      for (const operation of operations) {
        const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
        const path = Object.fromEntries(names.map((name) => [name, name.endsWith('_id') ? '1' : 'x']));
        const bodies = new Set<string>();
        for (const [situation, headers] of refusedBy(service)) {
          const reply = await send(baseOf(service), operation, { path, headers });
          bodies.add(JSON.stringify(comparable(reply, {})));
          if (reply.status !== 401)
            problems.push(`${operation.operationId}, credentials ${situation}: ${reply.status}`);
        }
        if (bodies.size > 1) problems.push(`${operation.operationId}: ${[...bodies].join('\n')}`);
      }
      expect(problems).toEqual([]);
    },
  );

  it.each(names.filter((service) => routesOf(service).length > 0))(
    '%s answers each route to the services that need it, and to no other',
    async (service) => {
      const callers = callersOf(service);
      const [first = ''] = callers;
      const url = `${baseOf(service)}/internal/openapi.json`;
      const allowed: Record<string, string[]> = {};
      for (const operation of await operationsOf(url, basic(first, keyOf(first)))) {
        allowed[operation.operationId] = [];
        for (const caller of callers) {
          // The id is none: a caller that is allowed gets 400 or 404, and changes nothing.
          const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
          const path = Object.fromEntries(names.map((name) => [name, 'none']));
          const reply = await send(baseOf(service), operation, { path, headers: basic(caller, keyOf(caller)) });
          if (reply.status === 403) expect(reply.json.text('error_code')).toBe('caller_not_allowed');
          else allowed[operation.operationId]?.push(caller);
        }
      }
      for (const [operation, callers] of Object.entries(services[service]))
        expect({ operation, callers: allowed[operation]?.toSorted() }).toEqual({
          operation,
          callers: callers.toSorted(),
        });
    },
  );

  it('no internal route is reached at a public address', async () => {
    const problems: string[] = [];
    for (const service of names) {
      const [caller = ''] = callersOf(service);
      if (routesOf(service).length === 0) continue;
      const headers = basic(caller, keyOf(caller));
      for (const operation of await operationsOf(`${baseOf(service)}/internal/openapi.json`, headers))
        for (const base of [ready.base_url, ready.auth_url, ready.search_url, ready.analytics_url]) {
          const { status } = await send(base, operation, { headers });
          if (status !== 404) problems.push(`${operation.operationId} at ${base}: ${status}`);
        }
    }
    expect(problems).toEqual([]);
  });
});
