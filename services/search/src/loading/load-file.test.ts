import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Pool } from 'pg';
import { type DirectoryDatabase, openDirectory } from '../../test/directory-database';
import type { DirectoryEntry } from '../directory/directory-entry';
import { readDirectory, selectDirectoryVersion, type StoredEntry } from '../directory/read-directory';
import { bundleOf, endpoint, hospitals, organization } from '../../test/brands-bundles';
import { type LoadOptions, loadFile } from './load-file';
import type { LoadReport, Rejection } from './load-report';
import { listSources, removeSource } from './sources';
import { InvalidFile } from './split-file';
import { LoadRefused } from './store-entries';

let directory: DirectoryDatabase;
let pool: Pool;
let folder: string;

beforeAll(async () => {
  directory = await openDirectory(3);
  ({ pool } = directory);
  folder = mkdtempSync(join(tmpdir(), 'directory-'));
});
afterEach(() => pool.query('truncate health_system_key, health_system, source restart identity cascade'));
afterAll(async () => {
  await directory.close();
  rmSync(folder, { recursive: true });
});

function load(content: string | Buffer, options: Partial<LoadOptions> = {}): Promise<LoadReport> {
  const origin = join(folder, 'file.json');
  writeFileSync(origin, content);
  return loadFile(pool, { origin, source: 's', force: false, sandbox: false, ...options });
}

async function entries(): Promise<StoredEntry[]> {
  const found: StoredEntry[] = [];
  await readDirectory(pool, (entry) => Promise.resolve(void found.push(entry)));
  return found;
}

async function idsByName(): Promise<Record<string, number>> {
  return Object.fromEntries((await entries()).map(({ id, name }) => [name, id]));
}

const offers = (endpoints: DirectoryEntry['endpoints']): string[] =>
  endpoints.map(({ fhirVersion, fhir_base_url }) => `${fhirVersion} ${fhir_base_url}`);

describe('loadFile', () => {
  it('makes one entry of an organization and its endpoints, in any order, plain or compressed', async () => {
    const text = bundleOf(
      endpoint({ id: 'a', version: '1.0.2' }),
      organization({ id: 'o', name: 'Mayo', endpoints: ['b', 'a'] }),
      endpoint({ id: 'b' }),
    );
    expect(await load(text)).toMatchObject({
      source: 's',
      status: 'loaded',
      total: 1,
      added: 1,
      changed: 0,
      removed: 0,
      organizations: 1,
      endpoints: 2,
      rejected: [],
      entry: [{ id: 1, name: 'Mayo', address: '', fhirVersions: ['dstu2', 'r4'] }],
    });
    expect(offers((await entries())[0]!.endpoints)).toEqual([
      'r4 https://fhir.example.org/b',
      'dstu2 https://fhir.example.org/a',
    ]);
    expect(await load(gzipSync(text))).toMatchObject({ total: 1, added: 0, changed: 0 });
  });

  it('keeps n:m relations of brands and endpoints', async () => {
    await load(
      bundleOf(
        ...Array.from({ length: 1200 }, (_, number) => organization({ id: `o${number}`, endpoints: ['a', 'b'] })),
        endpoint({ id: 'a' }),
        endpoint({ id: 'b', address: 'https://fhir.example.org/a' }),
      ),
    );
    const all = await entries();
    expect(all).toHaveLength(1200);
    expect(offers(all[7]!.endpoints)).toEqual(['r4 https://fhir.example.org/a']);
  });

  it('inherits endpoints from the nearest ancestor, also with cycles', async () => {
    const partOf = (id: string): object => ({ partOf: { reference: `Organization/${id}` } });
    await load(
      bundleOf(
        organization({ id: 'clinic', name: 'Clinic', ...partOf('region') }),
        organization({ id: 'region', name: 'Region', ...partOf('system') }),
        organization({ id: 'system', name: 'System', endpoints: ['e'] }),
        organization({ id: 'own', name: 'Own', endpoints: ['f'], ...partOf('system') }),
        organization({ id: 'x', name: 'X', ...partOf('y') }),
        organization({ id: 'y', name: 'Y', ...partOf('x') }),
        organization({ id: 'self', name: 'Self', ...partOf('self') }),
        endpoint({ id: 'e' }),
        endpoint({ id: 'f' }),
      ),
    );
    const all = await entries();
    expect(
      all.map(({ name, endpoints, parents }) => [name, offers(endpoints).map((offer) => offer.at(-1)), parents]),
    ).toEqual([
      ['Clinic', ['e'], ['Region', 'System']],
      ['Own', ['f'], ['System']],
      ['Region', ['e'], ['System']],
      ['System', ['e'], []],
    ]);
  });

  it('resolves references against the referring resource, and never to another resource with the same id', async () => {
    const [here, there] = ['https://here.example.org/f', 'https://there.example.org/f'];
    await load(
      bundleOf(
        organization({ id: '1', name: 'Here', endpoints: ['e'] }, here),
        organization({ id: '1', name: 'There', endpoints: ['e'] }, there),
        organization({ id: '2', name: 'Absolute', endpoints: [`${there}/Endpoint/e`] }, here),
        organization({ id: '3', name: 'Unnamed base', endpoints: ['e'] }),
        organization({ id: '4', name: 'Elsewhere', endpoints: ['https://nowhere.example.org/Endpoint/e'] }, here),
        endpoint({ id: 'e', base: here, address: 'https://a.example.org' }),
        endpoint({ id: 'e', base: there, address: 'https://b.example.org' }),
      ),
    );
    expect((await entries()).map(({ name, endpoints }) => [name, ...offers(endpoints)])).toEqual([
      ['Absolute', 'r4 https://b.example.org'],
      ['Here', 'r4 https://a.example.org'],
      ['There', 'r4 https://b.example.org'],
    ]);
  });

  it('reports the reason of every rejection', async () => {
    const rejections: Rejection[] = [];
    const report = await load(
      bundleOf(
        organization({ id: 'good', endpoints: ['ok'] }),
        endpoint({ id: 'ok' }),
        organization({ id: 'blank', name: '  ', endpoints: ['ok'] }),
        organization({ id: 'good', name: 'Again', endpoints: ['ok'] }),
        organization({ id: 'lost', name: 'Lost', endpoints: ['insecure', 'missing'] }),
        endpoint({ id: 'insecure', address: 'http://fhir.example.org' }),
        endpoint({ id: 'inner', address: 'https://10.0.0.1/fhir' }),
        endpoint({ id: 'bad', address: 'htps:/x' }),
        endpoint({ id: 'new', version: '5.0.0' }),
        {},
        { resource: { resourceType: 'Basic' } },
      ),
      { onRejections: (found) => rejections.push(...found) },
    );
    expect(report.total).toBe(1);
    expect(
      Object.fromEntries(report.rejected.map(({ resource, reason, count }) => [`${resource}: ${reason}`, count])),
    ).toEqual({
      'Organization: no name': 1,
      'Organization: published twice': 1,
      'Organization: no usable endpoint': 1,
      'Endpoint: address is not https': 1,
      'Endpoint: address lies in an internal network': 1,
      'Endpoint: malformed address': 1,
      'Endpoint: FHIR version is not offered': 1,
      'entry: holds no resource': 1,
    });
    expect(rejections).toHaveLength(8);
    expect(rejections).toContainEqual({
      resource: 'Endpoint',
      key: 'urn:uuid:insecure',
      name: 'http://fhir.example.org',
      reason: 'address is not https',
    });
  });

  it('rejects what PostgreSQL cannot store, and loads the rest', async () => {
    const half = '\ud800';
    const report = await load(
      bundleOf(
        ...Array.from({ length: 600 }, (_, number) => organization({ id: `o${number}`, endpoints: ['e'] })),
        organization({ id: 'nul\0', name: 'Nul', endpoints: ['e'] }),
        organization({ id: 'half', name: 'Half', endpoints: ['e'], address: [{ city: half }] }),
        organization({ id: half, name: 'Half of an id', endpoints: ['e'] }),
        organization({ id: `long-${'x'.repeat(10_000)}`, name: 'Long', endpoints: ['e'] }),
        organization({ id: 'expanding', name: '\ufdfa'.repeat(300), endpoints: ['e'] }),
        endpoint({ id: 'e' }),
        endpoint({ id: 'nul\0', address: 'https://fhir.example.org/nul' }),
        endpoint({ id: 'f', address: 'https://fhir.example.org/\0f' }),
      ),
    );
    expect(report.total).toBe(602);
    expect(report.rejected.map(({ resource, reason, count }) => [resource, reason, count])).toEqual(
      expect.arrayContaining([
        ['Organization', 'a text that cannot be stored', 2],
        ['Organization', 'neither id nor fullUrl', 1],
        ['Endpoint', 'a text that cannot be stored', 1],
        ['Endpoint', 'malformed address', 1],
      ]),
    );
  });

  it('accepts http and private addresses in the sandbox', async () => {
    const text = bundleOf(
      organization({ id: 'o', endpoints: ['e'] }),
      endpoint({ id: 'e', address: 'http://localhost:4004/fhir/r4' }),
    );
    await expect(load(text)).rejects.toThrow(LoadRefused);
    expect(await load(text, { sandbox: true })).toMatchObject({ total: 1, added: 1 });
  });

  it('merges entries published per release, and keeps the id when one of them is removed', async () => {
    const perRelease = [
      organization({ id: 'd', name: "St. Luke's", endpoints: ['ed'] }),
      organization({ id: 'r', name: 'St Lukes', endpoints: ['er'] }),
    ];
    const [dstu2, r4] = [
      endpoint({ id: 'ed', version: '1.0.2', address: 'https://fhir.example.org/api/DSTU2/' }),
      endpoint({ id: 'er', address: 'https://fhir.example.org/api/R4' }),
    ];
    await load(bundleOf(...perRelease, dstu2, r4));
    expect(await entries()).toMatchObject([
      { id: 1, name: "St. Luke's", endpoints: [{ fhirVersion: 'dstu2' }, { fhirVersion: 'r4' }] },
    ]);
    expect(await load(bundleOf(...[...perRelease, dstu2, r4].reverse()))).toMatchObject({
      total: 1,
      added: 0,
      changed: 0,
      removed: 0,
    });
    expect(await load(bundleOf(perRelease[1]!, r4))).toMatchObject({ total: 1, added: 0, changed: 1, removed: 0 });
    expect(await entries()).toMatchObject([{ id: 1, endpoints: [{ fhirVersion: 'r4' }] }]);
  });
});

describe('loading again', () => {
  it('keeps ids when names and addresses change, and writes nothing when nothing changed', async () => {
    await load(
      bundleOf(
        organization({ id: 'a', name: 'Alpha', endpoints: ['e'] }),
        organization({ id: 'b', name: 'Beta', endpoints: ['e'] }),
        endpoint({ id: 'e' }),
      ),
    );
    const version = await selectDirectoryVersion(pool);
    expect(
      await load(
        bundleOf(
          organization({ id: 'b', name: 'Beta', endpoints: ['e'] }),
          organization({ id: 'a', name: 'Alpha', endpoints: ['e'] }),
          endpoint({ id: 'e' }),
        ),
      ),
    ).toMatchObject({ added: 0, changed: 0, removed: 0 });
    expect(await selectDirectoryVersion(pool)).toBe(version);
    expect(
      await load(
        bundleOf(
          organization({ id: 'b', name: 'Zeta', endpoints: ['e'] }),
          organization({ id: 'a', name: 'Alpha', endpoints: ['e'] }),
          organization({ id: 'c', name: 'Aaa', endpoints: ['e'] }),
          endpoint({ id: 'e', address: 'https://fhir.example.org/new' }),
        ),
      ),
    ).toMatchObject({ added: 1, changed: 2, removed: 0 });
    expect(await idsByName()).toEqual({ Aaa: 3, Alpha: 1, Zeta: 2 });
    expect(await selectDirectoryVersion(pool)).toBe(version + 1);
  });

  it('recognizes entries after all their ids or their host have changed', async () => {
    const published = (salt: string, base?: string): string =>
      bundleOf(
        ...['Alpha', 'Beta', 'Gamma'].flatMap((name) => [
          organization({ id: `${name}${salt}`, name, endpoints: [`e${name}${salt}`] }, base),
          endpoint({
            id: `e${name}${salt}`,
            address: `https://fhir.example.org/${name}${base ? new URL(base).host : ''}`,
            ...(base ? { base } : {}),
          }),
        ]),
      );
    await load(published('-1'));
    const before = await idsByName();
    expect(await load(published('-2'))).toMatchObject({ added: 0, removed: 0, changed: 0 });
    expect(await idsByName()).toEqual(before);
    await load(published('-2', 'https://one.example.org/f'));
    await load(published('-2', 'https://two.example.org/f'));
    expect(await idsByName()).toEqual(before);
  });

  it('restores the id of a health system that is published again', async () => {
    await load(hospitals(10));
    const before = await idsByName();
    expect(await load(hospitals(9))).toMatchObject({ total: 9, removed: 1 });
    expect(Object.keys(await idsByName())).toHaveLength(9);
    expect(await load(hospitals(10))).toMatchObject({ total: 10, added: 0, changed: 1 });
    expect(await idsByName()).toEqual(before);
  });

  it('refuses to remove more than a fifth, unless forced', async () => {
    await load(hospitals(10));
    expect(await load(hospitals(8))).toMatchObject({ removed: 2 });
    await expect(load(hospitals(6))).rejects.toThrow(/would remove 2 of the 8/);
    expect(await entries()).toHaveLength(8);
    await expect(load(bundleOf())).rejects.toThrow(LoadRefused);
    expect(await load(hospitals(6), { force: true })).toMatchObject({ total: 6, removed: 2 });
    expect(await entries()).toHaveLength(6);
  });

  it('changes nothing when the file is truncated, compressed or not', async () => {
    await load(hospitals(300));
    const whole = Buffer.from(hospitals(400));
    const version = await selectDirectoryVersion(pool);
    for (const cut of [
      whole.subarray(0, whole.length - 2),
      whole.subarray(0, whole.length / 2),
      gzipSync(whole).subarray(0, -9),
      Buffer.from('<html>Bad gateway</html>'),
    ])
      await expect(load(cut, { force: true })).rejects.toThrow(InvalidFile);
    expect(await entries()).toHaveLength(300);
    expect(await selectDirectoryVersion(pool)).toBe(version);
  });

  it('does not change other sources', async () => {
    await load(hospitals(10), { source: 'one' });
    await load(hospitals(5), { source: 'two' });
    await load(hospitals(4), { source: 'two' });
    expect((await listSources(pool)).map(({ name, total }) => [name, total])).toEqual([
      ['one', 10],
      ['two', 4],
    ]);
    expect(await removeSource(pool, 'one')).toBe(10);
    expect(await entries()).toHaveLength(4);
    await expect(removeSource(pool, 'three')).rejects.toThrow('its sources are one, two');
    expect(await load(hospitals(10), { source: 'one' })).toMatchObject({ total: 10, added: 0, changed: 10 });
  });

  it('keeps the mode of a source unless another one is given', async () => {
    const modes = async (): Promise<unknown[]> => [
      (await listSources(pool)).map(({ mode }) => mode),
      [...new Set((await entries()).map(({ mode }) => mode))],
    ];
    await load(hospitals(3));
    expect(await modes()).toEqual([['live'], ['live']]);
    const version = await selectDirectoryVersion(pool);
    expect(await load(hospitals(3), { mode: 'test' })).toMatchObject({ added: 0, changed: 0 });
    expect(await modes()).toEqual([['test'], ['test']]);
    expect(await selectDirectoryVersion(pool)).toBeGreaterThan(version);
    await load(hospitals(4));
    expect(await modes()).toEqual([['test'], ['test']]);
  });

  it('waits for a concurrent load', async () => {
    const reports = await Promise.all([
      load(hospitals(50), { source: 'a' }),
      load(hospitals(50), { source: 'a' }),
      load(hospitals(50), { source: 'a' }),
    ]);
    expect(reports.map(({ added }) => added).sort()).toEqual([0, 0, 50]);
  });
});

describe('loading from a URL', () => {
  let server: Server;
  let answer: { status: number; headers: Record<string, string>; body: string | Buffer };
  let seen: IncomingHttpHeaders[];
  let origin: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(request.headers);
      const unchanged =
        answer.headers['etag'] !== undefined && request.headers['if-none-match'] === answer.headers['etag'];
      response.writeHead(unchanged ? 304 : answer.status, answer.headers).end(unchanged ? undefined : answer.body);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/brands.json`;
  });
  beforeEach(() => (seen = []));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const reload = (options: Partial<LoadOptions> = {}): Promise<LoadReport> =>
    loadFile(pool, { origin, source: 'web', force: false, sandbox: true, ...options });

  it('refuses a file that is a decompression bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024));
    answer = { status: 200, headers: {}, body: bomb };
    await expect(reload()).rejects.toThrow('the file expands too much');
    answer = { status: 200, headers: { 'content-encoding': 'gzip' }, body: bomb };
    await expect(reload()).rejects.toThrow('the response expands too much');
    await expect(load(bomb)).rejects.toThrow('the file expands too much');
  });

  it('sends If-None-Match when it loads again', async () => {
    answer = { status: 200, headers: { etag: '"1"' }, body: hospitals(3) };
    expect(await reload()).toMatchObject({ status: 'loaded', total: 3 });
    expect(await reload()).toMatchObject({ status: 'unchanged', total: 3, entry: [{}, {}, {}] });
    expect(seen.map((headers) => headers['if-none-match'])).toEqual([undefined, '"1"']);
    expect(await reload({ force: true })).toMatchObject({ status: 'loaded' });
    answer = { status: 200, headers: { etag: '"2"' }, body: gzipSync(hospitals(4)) };
    expect(await reload()).toMatchObject({ status: 'loaded', total: 4 });
  });

  it('reads an unchanged file again when the release of an endpoint was unknown, or another release is given', async () => {
    const hospital = (id: string, address: string): object[] => [
      organization({ id, endpoints: [`e${id}`] }),
      endpoint({ id: `e${id}`, address, extension: [] }),
    ];
    const known = hospital('a', 'https://fhir.example.org/r4');
    answer = {
      status: 200,
      headers: { etag: '"7"' },
      body: bundleOf(...known, ...hospital('b', 'https://fhir.example.org/fhir')),
    };
    expect(await reload()).toMatchObject({ status: 'loaded', total: 1 });
    expect(await reload()).toMatchObject({ status: 'loaded', total: 1 });
    answer = { status: 200, headers: { etag: '"8"' }, body: bundleOf(...known) };
    expect(await reload()).toMatchObject({ status: 'loaded' });
    expect(await reload()).toMatchObject({ status: 'unchanged' });
    expect(await reload({ release: 'dstu2' })).toMatchObject({ status: 'loaded' });
  });

  it('sends no validator after a load that was refused', async () => {
    answer = { status: 200, headers: { etag: '"1"' }, body: hospitals(10) };
    await reload();
    answer = { status: 200, headers: { etag: '"2"' }, body: hospitals(2) };
    await expect(reload()).rejects.toThrow(LoadRefused);
    await expect(reload()).rejects.toThrow(LoadRefused);
  });

  it('reports errors, and refuses http outside of the sandbox', async () => {
    answer = { status: 503, headers: {}, body: 'later' };
    await expect(reload()).rejects.toThrow('responded with 503');
    await expect(reload({ sandbox: false })).rejects.toThrow('not https');
    await expect(reload({ origin: 'http://127.0.0.1:1/x' })).rejects.toThrow('cannot be reached: connection refused');
    await expect(reload({ origin: join(folder, 'absent.json') })).rejects.toThrow('no such file');
    await expect(reload({ sandbox: false, origin: origin.replace('http:', 'https:') })).rejects.toThrow(
      'cannot be reached: the address is refused',
    );
    answer = { status: 302, headers: { location: 'ftp://127.0.0.1/brands.json' }, body: '' };
    await expect(reload()).rejects.toThrow('the address is refused');
    answer = { status: 200, headers: { 'content-length': '100000' }, body: hospitals(2) };
    server.once('request', (request, response) => response.once('finish', () => request.socket.destroy()));
    await expect(reload()).rejects.toThrow(`${origin}: the connection broke off in the middle`);
    answer = { status: 200, headers: { etag: '"3"' }, body: '<html>Down for maintenance</html>' };
    await expect(reload()).rejects.toThrow(`${origin}: the file is not well-formed JSON`);
  });
});
