import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AuthClient,
  type ClientMode,
  DirectoryClient,
  InternalHttp,
  OperatorDirectoryClient,
  healthSystemSearchResponse,
} from '@tributary/contracts';
import {
  type RedisClient,
  AccessTokens,
  FailedTokens,
  RateLimits,
  ServiceKeys,
  createLog,
  openPool,
  openRedis,
  untilReady,
} from '@tributary/service-kit';
import { type TestDatabase, createDatabase, testRedis } from '@tributary/test-environment';
import type { Express } from 'express';
import type { Pool } from 'pg';
import request from 'supertest';
import { internalApp, publicApp } from './app';
import { config } from './config';
import { copyRegistrations } from './directory/copy-registrations';
import { Directory } from './directory/directory';
import { migrateSearchDatabase, schema } from './directory/migrations';
import { bundleOf, endpoint, organization } from '../test/brands-bundles';
import { eventually } from '../test/eventually';
import { bumpVersion } from './directory/read-directory';
import { loadFile } from './loading/load-file';

const log = createLog('search', 'silent');
const token = 'a'.repeat(43);
const tokenOfTestClient = `of-test-client-${'0'.repeat(32)}`;
const key = 'a-key-of-sixteen-characters';
const failedTokens = (): FailedTokens => {
  const { RATE_LIMITS, TRUSTED_PROXIES } = config.pick({ RATE_LIMITS: true, TRUSTED_PROXIES: true }).parse({});
  return new FailedTokens(new RateLimits(redis, RATE_LIMITS, testRedis().prefix), TRUSTED_PROXIES);
};
const consoleKey = 'the-console-key-of-sixteen';
const serviceKeys = ServiceKeys.of({ 'user-management': key, console: consoleKey });
let database: TestDatabase;
let pool: Pool;
let redis: RedisClient;
let auth: Server;
let directory: Directory;
let app: Express;
let folder: string;
/** What the audit log has recorded as refused. */
const refusals: object[] = [];

beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, schema, { size: 3 });
  redis = openRedis(testRedis().url, log);
  await untilReady(redis);
  auth = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
    incoming.on('end', () => {
      const live = {
        active: true,
        client_id: 'c',
        service_user_id: 1,
        mode: 'live',
        scope: 'user',
        expires_at: Math.floor(Date.now() / 1000) + 60,
      };
      const tokens = (JSON.parse(body) as { tokens: string[] }).tokens.map((each) =>
        each === token ? live : each === tokenOfTestClient ? { ...live, mode: 'test' } : { active: false },
      );
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ tokens }));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => auth.once('listening', resolve));
  const authClient = new AuthClient(
    new InternalHttp({ service: 'auth', baseUrl: addressOf(auth), caller: 'search', key }),
  );
  folder = mkdtempSync(join(tmpdir(), 'search-'));
  directory = new Directory({
    pool,
    log,
    pollMs: 20,
    migrate: () => migrateSearchDatabase(database.url),
  });
  directory.start();
  await eventually(() => directory.ready());
  app = publicApp({
    directory,
    tokens: new AccessTokens(authClient, redis, failedTokens()),
    serverUrl: 'http://localhost:4002',
    authUrl: 'http://localhost:4001',
    limits: [],
    audit: {
      trail: {
        record: () => Promise.reject(new Error('nothing is recorded')),
        recordRefused: (event) => Promise.resolve(void refusals.push(event)),
        count: (event) => void refusals.push(event),
      },
      trustedProxies: config.pick({ TRUSTED_PROXIES: true }).parse({}).TRUSTED_PROXIES,
    },
    log,
  });
});
afterAll(async () => {
  await directory.stop();
  redis.disconnect();
  auth.closeAllConnections();
  await new Promise((resolve) => auth.close(resolve));
  await pool.end();
  await database.drop();
  rmSync(folder, { recursive: true });
});

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Loads hospitals of these names and waits until they can be found. */
function load(source: string, ...names: string[]): Promise<void> {
  return loadAs('live', source, ...names);
}

async function loadAs(mode: ClientMode, source: string, ...names: string[]): Promise<void> {
  const origin = join(folder, 'file.json');
  writeFileSync(
    origin,
    bundleOf(
      ...names.map((name, index) =>
        organization({
          id: `${source}${index}`,
          name,
          endpoints: ['a', 'b'],
          address: [{ city: 'Springfield', state: 'IL' }],
        }),
      ),
      endpoint({ id: 'a', version: '1.0.2' }),
      endpoint({ id: 'b' }),
    ),
  );
  const { total } = await loadFile(pool, { origin, source, mode, force: true, sandbox: false });
  await eventually(() => expect(directory.snapshot.search(mode, names[0], 0, 20).total).toBeGreaterThan(0));
  expect(total).toBe(names.length);
}

const search = (path = '/api/search'): request.Test => request(app).post(path).set('Authorization', `Bearer ${token}`);

describe('POST /api/search', () => {
  it('returns an empty page while the directory is empty', async () => {
    const answer = await search();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ success: true, total: 0, offset: 0, limit: 20, entry: [] });
  });

  it('pages through the directory by name, with any offset', async () => {
    await load('s', ...Array.from({ length: 45 }, (_, index) => `Hospital ${String(index).padStart(2, '0')}`));
    const pages = await Promise.all([0, 20, 40, 60].map((offset) => search(`/api/search?offset=${offset}`)));
    for (const [index, { body }] of pages.entries())
      expect(healthSystemSearchResponse.parse(body)).toMatchObject({
        success: true,
        total: 45,
        offset: index * 20,
        limit: 20,
      });
    expect(pages.flatMap(({ body }) => healthSystemSearchResponse.parse(body).entry.map(({ name }) => name))).toEqual(
      Array.from({ length: 45 }, (_, index) => `Hospital ${String(index).padStart(2, '0')}`),
    );
    expect((await search('/api/search?offset=7')).body.entry[0]).toEqual({
      id: expect.any(Number),
      name: 'Hospital 07',
      address: 'Springfield, IL',
      fhirVersions: ['dstu2', 'r4'],
      connectable: false,
    });
    const beyond = await search('/api/search?offset=99999999999999999999');
    expect([beyond.status, beyond.body.total, beyond.body.entry]).toEqual([200, 45, []]);
  });

  it('reads its parameters from the query string, a form or a JSON body', async () => {
    const answers = await Promise.all([
      search('/api/search?query=hospital+07&offset=0'),
      search().type('form').send({ query: 'hospital 07', offset: '0' }),
      search().send({ query: 'hospital 07', offset: 0 }),
      search('/api/search?offset=20').send({ query: 'HOSPITAL 07', offset: null }),
      search('/api/search?query=zebra').send({ query: 'hospital 07' }),
      search().send({ query: 7 }),
    ]);
    expect(answers.map(({ body }) => [body.total, body.offset, body.entry[0]?.name])).toEqual([
      [1, 0, 'Hospital 07'],
      [1, 0, 'Hospital 07'],
      [1, 0, 'Hospital 07'],
      [1, 20, undefined],
      [1, 0, 'Hospital 07'],
      [expect.any(Number), 0, undefined],
    ]);
  });

  it('marks the health systems to which a user can connect, and leaves out the others on request', async () => {
    const copy = (patterns: string[]): Promise<boolean> =>
      copyRegistrations(pool, { patterns: () => Promise.resolve(patterns) });
    const connectable = async (): Promise<number> =>
      (await search('/api/search?query=hospital&connectable=true')).body.total as number;
    expect(await connectable()).toBe(0);
    await copy(['fhir.example.org']);
    await eventually(async () => expect(await connectable()).toBe(45));
    expect((await search().send({ connectable: true, query: 'hospital 07' })).body).toMatchObject({
      total: 1,
      entry: [{ name: 'Hospital 07', connectable: true }],
    });
    await copy([]);
    await eventually(async () => expect(await connectable()).toBe(0));
    expect((await search('/api/search?connectable=false')).body).toMatchObject({ total: 45 });
    expect((await search('/api/search?connectable=maybe')).status).toBe(400);
  });

  it('returns distances from a position in the body, nearest first, and accepts none elsewhere', async () => {
    const near = { latitude: 39.8, longitude: -89.6 };
    await load('near', 'Kiwi Clinic');
    expect((await search().send({ query: 'kiwi', near })).body.entry[0]).not.toHaveProperty('distance_km');
    await pool.query(`
      update health_system set addresses = '[{"postalCode": "62701"}]' where name = 'Kiwi Clinic'`);
    await pool.query(bumpVersion);
    await eventually(async () => {
      const { body } = await search().send({ near });
      expect(healthSystemSearchResponse.parse(body).entry[0]).toMatchObject({ name: 'Kiwi Clinic', distance_km: 4 });
    });
    for (const none of [{ query: 'kiwi' }, { query: 'kiwi', near: null }])
      expect((await search().send(none)).body.entry[0]).not.toHaveProperty('distance_km');
    const refused = await Promise.all([
      search().send({ near: { latitude: 90.1, longitude: 0 } }),
      search().send({ near: { latitude: 0, longitude: -180.1 } }),
      search().send({ near: { latitude: '39.8', longitude: -89.6 } }),
      search().send({ near: { latitude: 39.8 } }),
      search().send({ near: { ...near, accuracy: 5 } }),
      search().send({ near: '39.8,-89.6' }),
      search('/api/search?near=39.8,-89.6'),
    ]);
    expect(refused.map(({ status, body }) => [status, body.error])).toEqual([
      [400, 'near.latitude: must be at most 90'],
      [400, 'near.longitude: must be at least -180'],
      [400, 'near.latitude: must be a number'],
      [400, 'near.longitude is missing'],
      [400, 'accuracy is an unknown parameter'],
      [400, 'near: must be an object'],
      [400, 'near belongs in the body'],
    ]);
  });

  it.each(['offset=-1', 'offset=1.5', 'offset=x', 'offset=', 'offset=1&offset=2', `query=${'x'.repeat(1001)}`])(
    'refuses %p',
    async (query) => {
      const answer = await search(`/api/search?${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual({
        success: false,
        error: query.startsWith('offset')
          ? query === 'offset=1&offset=2'
            ? 'offset is given twice'
            : 'offset: must be an integer, 0 or more'
          : expect.stringContaining('query'),
        error_code: 'invalid_request',
      });
    },
  );

  it('refuses malformed bodies', async () => {
    for (const body of [{ offset: -1 }, { offset: 0.5 }, { offset: {} }, { query: ['x'] }, []])
      expect((await search().send(body)).status).toBe(400);
  });

  it('requires the token of a user, and records refused requests in the audit log', async () => {
    refusals.splice(0);
    const none = await request(app).post('/api/search');
    expect([none.status, none.headers['www-authenticate'], none.body.success]).toEqual([
      401,
      expect.stringContaining('Bearer'),
      false,
    ]);
    const wrong = await request(app)
      .post('/api/search')
      .set('Authorization', `Bearer ${'b'.repeat(43)}`);
    expect([wrong.status, wrong.headers['www-authenticate'], wrong.body.error_code]).toEqual([
      401,
      expect.stringContaining('invalid_token'),
      'invalid_token',
    ]);
    const refused = expect.objectContaining({ kind: 'token.refused', status: 401 }) as object;
    expect(refusals).toEqual([refused, refused]);
  });

  it('responds 405 and 404 to other requests, and serves its documentation', async () => {
    const get = await request(app).get('/api/search');
    expect([get.status, get.headers['allow']]).toEqual([405, 'POST']);
    expect((await request(app).get('/internal/v1/health-systems/1')).status).toBe(404);
    const { body } = await request(app).get('/openapi.json');
    expect(body.paths['/api/search'].post.parameters.map(({ name }: { name: string }) => name)).toEqual([
      'offset',
      'query',
      'connectable',
    ]);
  });

  it('finds what was loaded while it runs', async () => {
    await load('t', 'Zebra Crossing Clinic');
    expect((await search('/api/search?query=zebra')).body).toMatchObject({
      total: 1,
      entry: [{ name: 'Zebra Crossing Clinic' }],
    });
  });

  it('finds test systems for users of test clients only, and the others for those of live clients', async () => {
    await loadAs('live', 'modes', 'Wombat Clinic', 'Wombat Hospital');
    await loadAs('test', 'modes-test', 'Wombat Sandbox');
    const namesFor = async (bearer: string, query = ''): Promise<string[]> => {
      const answer = await request(app).post(`/api/search${query}`).set('Authorization', `Bearer ${bearer}`);
      const { total, entry } = healthSystemSearchResponse.parse(answer.body);
      expect(total).toBeGreaterThanOrEqual(entry.length);
      return entry.map(({ name }) => name);
    };
    expect(await namesFor(tokenOfTestClient, '?query=wombat')).toEqual(['Wombat Sandbox']);
    expect(await namesFor(tokenOfTestClient)).toEqual(['Wombat Sandbox']);
    expect(await namesFor(token, '?query=wombat')).toEqual(['Wombat Clinic', 'Wombat Hospital']);
    expect(await namesFor(token, '?query=sandbox')).not.toContain('Wombat Sandbox');
    for (const mode of ['test', 'live'] as const) {
      const { id } = directory.snapshot.search(mode, 'wombat', 0, 1).entry[0]!;
      expect(await directory.find(id)).toMatchObject({ id, mode });
    }
  });
});

describe('GET /internal/v1/health-systems/{id}', () => {
  let server: Server;
  const client = (serviceKey = key): DirectoryClient =>
    new DirectoryClient(
      new InternalHttp({ service: 'search', baseUrl: addressOf(server), caller: 'user-management', key: serviceKey }),
    );

  beforeAll(async () => {
    server = internalApp({ directory, pool, serviceKeys, log }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  it('returns name and endpoints to services with a key', async () => {
    await load('u', 'Okapi Hospital');
    const id = directory.snapshot.search('live', 'okapi', 0, 1).entry[0]!.id;
    expect(await client().findHealthSystem(id)).toEqual({
      id,
      name: 'Okapi Hospital',
      address: 'Springfield, IL',
      mode: 'live',
      endpoints: [
        { fhirVersion: 'dstu2', fhir_base_url: 'https://fhir.example.org/a' },
        { fhirVersion: 'r4', fhir_base_url: 'https://fhir.example.org/b' },
      ],
    });
    expect(await client().findHealthSystem(999_999_999)).toBeUndefined();
    await expect(client('a-wrong-key-of-sixteen').findHealthSystem(id)).rejects.toMatchObject({ status: 401 });
  });

  it('lists the sources for operators in the console, and for no other service', async () => {
    await load('operated', 'Numbat Hospital');
    const operators = (caller: string, serviceKey: string): OperatorDirectoryClient =>
      new OperatorDirectoryClient(
        new InternalHttp({ service: 'search', baseUrl: addressOf(server), caller, key: serviceKey }),
      );
    expect((await operators('console', consoleKey).sources()).entry).toContainEqual({
      name: 'operated',
      mode: 'live',
      origin: expect.any(String),
      loaded_at: expect.stringMatching(/Z$/),
      total: 1,
    });
    await expect(operators('user-management', key).sources()).rejects.toMatchObject({ status: 403 });
  });

  it('finds what was loaded a moment ago', async () => {
    const unaware = new Directory({ pool, log, migrate: () => Promise.resolve() });
    await unaware.refresh();
    await load('v', 'Quokka Hospital');
    const { id } = directory.snapshot.search('live', 'quokka', 0, 1).entry[0]!;
    expect(unaware.snapshot.search('live', 'quokka', 0, 1).total).toBe(0);
    expect(await unaware.find(id)).toMatchObject({ name: 'Quokka Hospital' });
    await unaware.stop();
  });
});

describe('a load', () => {
  it('is visible a moment later', async () => {
    const following = new Directory({ pool, log, migrate: () => Promise.resolve() });
    following.start();
    await eventually(() => following.ready());
    await load('w', 'Numbat Hospital');
    await eventually(async () => expect(following.snapshot.search('live', 'numbat', 0, 1).total).toBe(1));
    await following.stop();
  });
});

describe('a start', () => {
  it('finds names with the words of Object.prototype', async () => {
    const name = 'Constructor Toval __proto__ hasOwnProperty valueOf Clinic';
    await load('x', name);
    const restarted = new Directory({ pool, log, migrate: () => Promise.resolve() });
    await restarted.refresh();
    for (const query of ['constructor', 'toval', '__proto__', 'hasOwnProperty', 'valueof', 'const', name])
      expect(restarted.snapshot.search('live', query, 0, 20).entry.map((entry) => entry.name)).toContain(name);
    await restarted.stop();
  });

  it('leaves out entries that cannot be indexed, names them in the log, and finds the others', async () => {
    await load('y', 'Dugong Clinic', 'Dugong Hospital', 'Dugong Practice', 'Dugong Surgery');
    const idOf = (name: string): number => directory.snapshot.search('live', name, 0, 1).entry[0]!.id;
    const [hospital, practice] = [idOf('Dugong Hospital'), idOf('Dugong Practice')];
    await pool.query(`update health_system set addresses = '[null]' where id = $1`, [hospital]);
    await pool.query(`update health_system set endpoints = 'null' where id = $1`, [practice]);
    const warn = jest.fn();
    const restarted = new Directory({
      pool,
      log: Object.assign(Object.create(log) as typeof log, { warn }),
      migrate: () => Promise.resolve(),
    });
    await restarted.refresh();
    expect(restarted.snapshot.search('live', 'dugong', 0, 20).entry.map(({ name }) => name)).toEqual([
      'Dugong Clinic',
      'Dugong Surgery',
    ]);
    expect(await restarted.find(hospital)).toMatchObject({ name: 'Dugong Hospital' });
    expect(warn.mock.calls).toEqual([
      [expect.objectContaining({ count: 2, ids: [hospital, practice] }), expect.stringContaining('cannot be indexed')],
    ]);
    await restarted.stop();
    await pool.query('delete from health_system where id = any($1)', [[hospital, practice]]);
  });
});

describe('a database that is down', () => {
  it('delays readiness at start, and does not interrupt searches later', async () => {
    let away = true;
    let failures = 0;
    const lost = (): never => {
      failures++;
      throw new Error('away');
    };
    const absent = {
      connect: () => (away ? lost() : pool.connect()),
      query: (statement: string) => (away ? lost() : pool.query(statement)),
    } as unknown as Pool;
    const waiting = new Directory({ pool: absent, log, pollMs: 20, migrate: async () => (away ? lost() : undefined) });
    waiting.start();
    await expect(waiting.ready()).rejects.toThrow('not been read');
    const answer = await request(
      publicApp({
        directory: waiting,
        tokens: new AccessTokens(
          {
            introspect: () =>
              Promise.resolve([
                {
                  active: true,
                  client_id: 'c',
                  service_user_id: 1,
                  mode: 'live',
                  scope: 'user',
                  expires_at: 9_999_999_999,
                },
              ]),
          } as unknown as AuthClient,
          redis,
          failedTokens(),
        ),
        serverUrl: 'http://localhost:4002',
        authUrl: 'http://localhost:4001',
        limits: [],
        audit: { none: 'for the test' },
        log,
      }),
    )
      .post('/api/search')
      .set('Authorization', `Bearer ${token}`);
    expect([answer.status, answer.body.error_code, answer.headers['retry-after']]).toEqual([
      503,
      'temporarily_unavailable',
      '2',
    ]);
    away = false;
    await eventually(() => waiting.ready());
    const { total } = waiting.snapshot.search('live', undefined, 0, 20);
    away = true;
    failures = 0;
    await eventually(() => expect(failures).toBeGreaterThan(1));
    expect(waiting.snapshot.search('live', undefined, 0, 20).total).toBe(total);
    expect(await waiting.find(999_999_999)).toBeUndefined();
    await waiting.stop();
  });
});
