import type { FhirVersion } from '@tributary/contracts';
import type { Pool } from 'pg';
import { type DirectoryDatabase, openDirectory } from '../../test/directory-database';
import { FakeEndpoints, type Handler, fhirEndpoint, json } from '../../test/fake-endpoints';
import { selectDirectoryVersion } from '../directory/read-directory';
import { deleteForgotten } from './endpoint-checks';
import { EndpointProbe } from './probe-endpoint';
import { NoHostResponded, type VerifyOptions, type VerifyReport, verifyEndpoints } from './verify-endpoints';

let directory: DirectoryDatabase;
let pool: Pool;
let fake: FakeEndpoints;
const probe = new EndpointProbe({ sandbox: true, timeoutMs: 60_000 });

beforeAll(async () => {
  directory = await openDirectory(4);
  ({ pool } = directory);
});
afterAll(async () => {
  await directory.close();
});
beforeEach(async () => {
  fake = new FakeEndpoints({});
  await fake.start();
});
afterEach(async () => {
  await fake.stop();
  await pool.query('truncate endpoint_check');
});

const r4 = fhirEndpoint({ fhirVersion: '4.0.1' });

function verify(addresses: string[], options: Partial<VerifyOptions> = {}): Promise<VerifyReport> {
  return verifyEndpoints({
    pool,
    probe,
    addresses: new Map(addresses.map((address) => [address, ['r4'] as FhirVersion[]])),
    concurrency: { overall: 8, perHost: 4 },
    ...options,
  });
}

/** Serves the endpoints, and returns their addresses. */
function serve(endpoints: Record<string, Handler>): string[] {
  Object.assign(fake.endpoints, endpoints);
  return Object.keys(endpoints).map((name) => fake.url(name));
}

async function check(address: string): Promise<Record<string, unknown>> {
  const { rows } = await pool.query<Record<string, unknown>>('select * from endpoint_check where address = $1', [
    address,
  ]);
  return rows[0]!;
}

/** Makes the last checks older, as if time had passed. */
const pass = (interval: string): Promise<unknown> =>
  pool.query(
    `update endpoint_check set due_at = due_at - $1::interval, checked_at = checked_at - $1::interval, claimed_until = claimed_until - $1::interval`,
    [interval],
  );

describe('verifyEndpoints', () => {
  it('stores FHIR version, software and SMART support', async () => {
    const oauth = { url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris', extension: [] };
    const [modern, old, plain, closed] = serve({
      modern: fhirEndpoint({ fhirVersion: '4.0.1', software: { name: 'Acme', version: '7' } }, ['launch-standalone']),
      old: fhirEndpoint({
        resourceType: 'Conformance',
        fhirVersion: '1.0.2',
        rest: [{ mode: 'server', security: { extension: [oauth] } }],
      }),
      plain: fhirEndpoint({ fhirVersion: '3.0.1' }),
      closed: (request, response) =>
        request.url!.endsWith('/metadata')
          ? json(response, {}, 401)
          : json(response, {
              authorization_endpoint: 'https://a.example.org',
              token_endpoint: 'https://t.example.org',
            }),
    });
    const report = await verify([modern!, old!, plain!, closed!]);
    expect(report).toMatchObject({
      due: 4,
      answered: 4,
      failed: 0,
      fhirVersions: { '4.0.1': 1, '1.0.2': 1, '3.0.1': 1, unknown: 1 },
      smart: { 'smart-configuration': 2, 'capability-statement': 1, none: 1 },
      otherRelease: { count: 2 },
    });
    expect(await check(modern!)).toMatchObject({
      fhir_version: '4.0.1',
      software: 'Acme 7',
      smart: 'smart-configuration',
      capabilities: ['launch-standalone'],
      failures: 0,
      problem: null,
      answered_at: expect.any(Date),
      claimed_until: null,
    });
    expect(await check(closed!)).toMatchObject({ fhir_version: null, smart: 'smart-configuration' });
  });

  it('stores texts without what PostgreSQL refuses', async () => {
    const [address] = serve({
      odd: fhirEndpoint({ fhirVersion: '4.0.1\0', software: { name: 'Ac\0me' } }, ['launch\0', '\ud800sso']),
    });
    expect(await verify([address!])).toMatchObject({ answered: 1, failed: 0 });
    expect(await check(address!)).toMatchObject({
      fhir_version: '4.0.1',
      software: 'Ac me',
      capabilities: ['launch', 'sso'],
    });
  });

  it('requests another media type after a 406', async () => {
    const [address] = serve({
      picky: (request, response) =>
        request.headers.accept === 'application/json' ? r4(request, response) : response.writeHead(406).end(),
    });
    expect(await verify([address!])).toMatchObject({ answered: 1, fhirVersions: { '4.0.1': 1 } });
  });

  it('reports why an endpoint failed, and keeps its last result', async () => {
    const addresses = serve({
      gone: (_request, response) => response.writeHead(404).end(),
      html: (_request, response) => response.writeHead(200).end('<html>'),
      other: (_request, response) => json(response, { resourceType: 'Patient' }),
      broken: (request) => request.socket.destroy(),
    });
    const report = await verify(addresses);
    expect(Object.fromEntries(report.problems.map(({ problem, count }) => [problem, count]))).toEqual({
      '/metadata responded with 404': 1,
      '/metadata is not a CapabilityStatement': 2,
      'no response (ECONNRESET)': 1,
    });
    serve({ gone: fhirEndpoint({ fhirVersion: '4.0.1' }) });
    await pass('2 hours');
    await verify([addresses[0]!]);
    expect(await check(addresses[0]!)).toMatchObject({ failures: 0, problem: null, fhir_version: '4.0.1' });
    serve({ gone: (_request, response) => response.writeHead(500).end() });
    await pass('15 days');
    await verify([addresses[0]!]);
    expect(await check(addresses[0]!)).toMatchObject({ failures: 1, fhir_version: '4.0.1' });
  });

  it('reports that an endpoint did not respond in time', async () => {
    const addresses = serve({ silent: () => undefined });
    const report = await verify(addresses, { probe: new EndpointProbe({ sandbox: true, timeoutMs: 100 }) });
    expect(report.problems).toMatchObject([{ problem: 'no response in time', count: 1 }]);
  });

  it('counts failures an hour apart only, and tells the replicas when the availability of an endpoint changes', async () => {
    const [failing] = serve({ failing: (_request, response) => response.writeHead(500).end() });
    const version = await selectDirectoryVersion(pool);
    await verify([failing!]);
    await verify([failing!], { recheckBefore: new Date(Date.now() + 60_000) });
    expect(await check(failing!)).toMatchObject({ failures: 1 });
    expect(await selectDirectoryVersion(pool)).toBe(version);
    await pass('61 minutes');
    await verify([failing!]);
    expect(await check(failing!)).toMatchObject({ failures: 2 });
    expect(await selectDirectoryVersion(pool)).toBe(version + 1);
    serve({ failing: r4 });
    await pass('1 day');
    await verify([failing!]);
    expect(await check(failing!)).toMatchObject({ failures: 0 });
    expect(await selectDirectoryVersion(pool)).toBe(version + 2);
  });

  it('probes only endpoints whose check is due, and continues where an earlier run ended', async () => {
    const addresses = serve(Object.fromEntries(Array.from({ length: 12 }, (_, number) => [`e${number}`, r4])));
    const stopped = new Error('stopped');
    let probed = 0;
    await expect(
      verify(addresses, {
        concurrency: { overall: 1, perHost: 1 },
        onProgress: () => {
          if (++probed === 5) throw stopped;
        },
      }),
    ).rejects.toBe(stopped);
    expect(await verify(addresses)).toMatchObject({ addresses: 12, due: 7, answered: 7 });
    expect(await verify(addresses)).toMatchObject({ addresses: 12, due: 0, answered: 0 });
    expect(fake.requests.filter((path) => path.endsWith('/metadata'))).toHaveLength(12);
    expect(await verify(addresses, { recheckBefore: new Date(Date.now() + 60_000) })).toMatchObject({ due: 12 });
    await pass('15 days');
    expect(await verify(addresses)).toMatchObject({ due: 12 });
  });

  it('shares the work between concurrent runs', async () => {
    const addresses = serve(Object.fromEntries(Array.from({ length: 20 }, (_, number) => [`e${number}`, r4])));
    const reports = await Promise.all([verify(addresses), verify([...addresses].reverse()), verify(addresses)]);
    expect(reports.reduce((sum, { answered }) => sum + answered, 0)).toBe(20);
    expect(fake.requests.filter((path) => path.endsWith('/metadata'))).toHaveLength(20);
  });

  it('takes over the claim of a run that was killed', async () => {
    const [address] = serve({ e: r4 });
    await pool.query(`insert into endpoint_check (address, claimed_until) values ($1, now() + interval '2 minutes')`, [
      address,
    ]);
    expect(await verify([address!])).toMatchObject({ answered: 0, elsewhere: 1 });
    await pass('3 minutes');
    expect(await verify([address!])).toMatchObject({ answered: 1, elsewhere: 0 });
  });

  it('sends few requests at a time to one host', async () => {
    const slow: Handler = (request, response) => void setImmediate(() => r4(request, response));
    const addresses = serve(Object.fromEntries(Array.from({ length: 12 }, (_, number) => [`e${number}`, slow])));
    await verify(addresses, { concurrency: { overall: 8, perHost: 2 } });
    expect(fake.peak).toBeLessThanOrEqual(2);
  });

  it('waits once for the time in Retry-After, and counts no failure of a throttled endpoint', async () => {
    let refusals = 1;
    const [once, always] = serve({
      once: (request, response) =>
        request.url!.endsWith('/metadata') && refusals-- > 0
          ? response.writeHead(429, { 'retry-after': '0' }).end()
          : r4(request, response),
      always: (_request, response) => response.writeHead(503, { 'retry-after': '0' }).end(),
    });
    expect(await verify([once!])).toMatchObject({ answered: 1 });
    expect(await verify([always!])).toMatchObject({
      failed: 1,
      problems: [{ problem: 'the host is throttling requests' }],
    });
    expect(await check(always!)).toMatchObject({ failures: 0, checked_at: null });
    expect(fake.requests.filter((path) => path.startsWith('/always'))).toHaveLength(2);
  });

  it('stops probing a host that does not respond', async () => {
    const [responding] = serve({ responding: r4 });
    const silent = Array.from({ length: 30 }, (_, number) => `http://127.0.0.2:1/${number}`);
    const report = await verify([responding!, ...silent], { concurrency: { overall: 2, perHost: 1 } });
    expect(report).toMatchObject({ answered: 1, failed: 30 });
    expect(Object.fromEntries(report.problems.map(({ problem, count }) => [problem, count]))).toEqual({
      'no response (ECONNREFUSED)': 5,
      'its host does not respond': 25,
    });
  });

  it('stores nothing when no host responds', async () => {
    const silent = Array.from({ length: 30 }, (_, number) => `http://127.0.0.${number + 2}:1/fhir`);
    await expect(verify(silent, { concurrency: { overall: 4, perHost: 1 } })).rejects.toThrow(NoHostResponded);
    const { rows } = await pool.query('select 1 from endpoint_check where checked_at is not null');
    expect(rows).toEqual([]);
    expect(await verify(silent.slice(0, 3))).toMatchObject({ failed: 3 });
    expect(await check(silent[0]!)).toMatchObject({ failures: 1 });
  });

  it('requests public https addresses only, also after a redirect, unless in the sandbox', async () => {
    const [address, redirect] = serve({
      inside: r4,
      redirect: (_request, response) => response.writeHead(302, { location: fake.url('inside/metadata') }).end(),
    });
    const strict = new EndpointProbe({ sandbox: false, timeoutMs: 60_000 });
    expect(await strict.probe(address!)).toMatchObject({
      status: 'failed',
      problem: expect.stringContaining('refused'),
    });
    expect(await strict.probe('https://localhost:1/fhir')).toMatchObject({
      status: 'failed',
      problem: expect.stringContaining('refused'),
    });
    expect(fake.requests).toEqual([]);
    expect(await probe.probe(redirect!)).toMatchObject({ status: 'succeeded' });
  });
});

describe('deleteForgotten', () => {
  it('deletes old checks of addresses that the directory does not contain', async () => {
    await pool.query(
      `insert into endpoint_check (address, checked_at) values ('a', now() - interval '91 days'), ('b', now() - interval '91 days'), ('c', now())`,
    );
    await deleteForgotten(pool, ['a']);
    const { rows } = await pool.query<{ address: string }>('select address from endpoint_check order by 1');
    expect(rows.map(({ address }) => address)).toEqual(['a', 'c']);
  });
});
