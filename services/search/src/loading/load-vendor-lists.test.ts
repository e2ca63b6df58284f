import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { type DirectoryDatabase, openDirectory } from '../../test/directory-database';
import { bundleOf, endpoint, organization } from '../../test/brands-bundles';
import { listOf, row } from '../../test/endpoint-lists';
import { eventually } from '../../test/eventually';
import { type StoredEntry, readDirectory, selectDirectoryVersion } from '../directory/read-directory';
import { Snapshot } from '../directory/snapshot';
import { selectDue, saveMetadata, saveFailure } from '../verification/endpoint-checks';
import { type LoadOptions, loadFile } from './load-file';
import type { LoadReport, Rejection } from './load-report';
import { LoadRefused } from './store-entries';

/** An endpoint without the extension `endpoint-fhir-version`, as in the list of Oracle Health. */
const unversioned = (id: string, address: string): object => endpoint({ id, address, extension: [] });
const facts = { software: null, smart: 'none', capabilities: null } as const;
const vendor = 'https://fhir.clinics-vendor.org';

let directory: DirectoryDatabase;
let pool: Pool;
let folder: string;

beforeAll(async () => {
  directory = await openDirectory(4);
  ({ pool } = directory);
  folder = mkdtempSync(join(tmpdir(), 'lists-'));
});
afterEach(() =>
  pool.query('truncate health_system_key, health_system, source, endpoint_check restart identity cascade'),
);
afterAll(async () => {
  await directory.close();
  rmSync(folder, { recursive: true });
});

function load(content: string, options: Partial<LoadOptions> = {}): Promise<LoadReport> {
  const origin = join(folder, 'file.json');
  writeFileSync(origin, content);
  return loadFile(pool, { origin, source: 's', force: false, sandbox: false, ...options });
}

async function entries(): Promise<StoredEntry[]> {
  const found: StoredEntry[] = [];
  await readDirectory(pool, (entry) => Promise.resolve(void found.push(entry)));
  return found;
}

/** The report must account for every organization of the file. */
function expectComplete({ organizations, total, merged, rejected }: LoadReport): void {
  const sum = (counts: { count: number }[]): number => counts.reduce((all, { count }) => all + count, 0);
  const leftOut = rejected.filter(({ resource }) => resource === 'Organization');
  expect(total + sum(merged) + sum(leftOut)).toBe(organizations);
}

const reasons = (counts: { reason: string; count: number }[]): Record<string, number> =>
  Object.fromEntries(counts.map(({ reason, count }) => [reason, count]));

describe('a bundle without FHIR versions', () => {
  const hospital = (id: string, address: string): object[] => [
    organization({ id, name: `Hospital ${id}`, endpoints: [`e${id}`] }),
    unversioned(`e${id}`, address),
  ];

  it('takes the releases from the addresses', async () => {
    const report = await load(
      bundleOf(
        ...Array.from({ length: 30 }, (_, number) => hospital(`${number}`, `${vendor}/r4/tenant-${number}/`)).flat(),
        ...hospital('old', `${vendor}/dstu2/tenant-7`),
        organization({ id: 'stated', endpoints: ['es'] }),
        endpoint({ id: 'es', version: '3.0.1', address: `${vendor}/fhir` }),
      ),
    );
    expect(report).toMatchObject({
      total: 32,
      rejected: [],
      format: 'brands',
      releases: { extension: 1, address: 31, file: 0, metadata: 0 },
    });
    expectComplete(report);
    expect((await entries()).find(({ name }) => name === 'Hospital old')!.endpoints).toEqual([
      { fhirVersion: 'dstu2', fhir_base_url: `${vendor}/dstu2/tenant-7` },
    ]);
  });

  it('takes the release of the file where an address names none', async () => {
    const text = bundleOf(...hospital('a', `${vendor}/fhir/a`), ...hospital('b', `${vendor}/dstu2/b`));
    expect(await load(text)).toMatchObject({ total: 1, rejected: [{ reason: 'no FHIR version' }, {}] });
    const report = await load(text, { release: 'r4' });
    expect(report).toMatchObject({ total: 2, releases: { address: 1, file: 1 } });
    expect((await entries()).map(({ endpoints }) => endpoints[0]!.fhirVersion).sort()).toEqual(['dstu2', 'r4']);
  });

  it('probes the endpoints whose release nothing names', async () => {
    const text = bundleOf(
      ...hospital('a', `${vendor}/fhir/a/`),
      ...hospital('b', `${vendor}/fhir/b`),
      ...hospital('silent', `${vendor}/fhir/silent`),
      ...hospital('new', `${vendor}/fhir/new`),
      ...hospital('c', `${vendor}/r4/c`),
    );
    const probed: string[][] = [];
    const rejections: Rejection[] = [];
    const options: Partial<LoadOptions> = {
      onRejections: (found) => rejections.push(...found),
      verify: async (addresses) => {
        probed.push(addresses);
        await selectDue(pool, addresses, undefined);
        await saveMetadata(pool, `${vendor}/fhir/a`, { ...facts, fhirVersion: '4.0.1' });
        await saveMetadata(pool, `${vendor}/fhir/b`, { ...facts, fhirVersion: '1.0.2' });
        await saveMetadata(pool, `${vendor}/fhir/new`, { ...facts, fhirVersion: '5.0.0' });
        await saveFailure(pool, `${vendor}/fhir/silent`, { problem: 'no response in time' });
      },
    };
    const report = await load(text, options);
    expect(report).toMatchObject({ total: 3, releases: { address: 1, metadata: 2 } });
    expectComplete(report);
    expect(reasons(report.rejected.filter(({ resource }) => resource === 'Endpoint'))).toEqual({
      'no FHIR version, and none in its /metadata': 1,
      'FHIR version is not offered': 1,
    });
    expect(rejections.map(({ name }) => name).sort()).toEqual([
      'Hospital new',
      'Hospital silent',
      `${vendor}/fhir/new`,
      `${vendor}/fhir/silent`,
    ]);
    expect(probed).toEqual([['a', 'b', 'silent', 'new'].map((path) => `${vendor}/fhir/${path}`)]);
    expect(await load(text, options)).toMatchObject({ total: 3, added: 0, changed: 0, removed: 0 });
    expect(probed).toHaveLength(1);
  });

  it('refuses a file only when nothing of it is usable', async () => {
    await expect(load(bundleOf(...hospital('a', `${vendor}/fhir/a`)))).rejects.toThrow(LoadRefused);
    expect(await load(bundleOf(...hospital('a', `${vendor}/fhir/a`), ...hospital('b', `${vendor}/R4`)))).toMatchObject({
      total: 1,
    });
  });
});

describe('an endpoint list', () => {
  const shared = `${vendor}/fhir/r4`;

  it('makes an entry of each name, merges addresses, and reports what it leaves out', async () => {
    const report = await load(
      listOf(
        ...Array.from({ length: 1200 }, (_, number) => row({ url: shared, name: `Practice ${number}`, zip: '43215' })),
        row({ url: shared, name: 'Family Medicine', zip: '43215' }),
        row({ url: shared, name: 'FAMILY MEDICINE', zip: '10014' }),
        row({ url: shared, name: 'Family Medicine', zip: '10014' }),
        row({ url: shared, name: 'Family Medicine' }),
        row({ url: `${vendor}/nge/prod/fhir-api/fhir/dstu2/`, name: 'Two Releases' }),
        row({ url: `${vendor}/nge/prod/fhir-api-r4/fhir/r4/`, name: 'Two Releases' }),
        row({ url: shared, name: '', zip: '43215' }),
        row({ url: shared, name: '  ' }),
        row({ url: 'https://10.1.1.1/fhir/r4', name: 'Inside' }),
        row({ url: 'https://fhir.example.com/r4', name: 'Example' }),
        row({ url: '', name: 'Nowhere' }),
        row({ url: 'see website', name: 'Elsewhere' }),
        row({ url: `${vendor}/r5`, name: 'Too New' }),
        row({ url: `${vendor}/unknown/1`, name: 'Unknown 1' }),
        row({ url: `${vendor}/unknown/1`, name: 'Unknown 2' }),
        {},
      ),
    );
    expect(report).toMatchObject({
      format: 'list',
      total: 1202,
      organizations: 1216,
      endpoints: 4,
      releases: { address: 3 },
    });
    expectComplete(report);
    expect(reasons(report.merged)).toEqual({
      'the same row again': 1,
      'the same name and endpoint at another postal address': 2,
      'the same health system in another release': 1,
    });
    expect(reasons(report.rejected.filter(({ resource }) => resource === 'Organization'))).toEqual({
      'no name': 3,
      'address lies in an internal network': 1,
      'address of a test system': 1,
      'no address': 1,
      'malformed address': 1,
      'FHIR version is not offered': 1,
      'no usable endpoint': 2,
    });
    expect(report.rejected.filter(({ resource }) => resource === 'Endpoint')).toEqual([
      { resource: 'Endpoint', reason: 'no FHIR version', count: 1, examples: [`${vendor}/unknown/1`] },
    ]);
    expect(report.rejected).toContainEqual({
      resource: 'Organization',
      reason: 'no usable endpoint',
      count: 2,
      examples: ['Unknown 1', 'Unknown 2'].map((name) => `${vendor}/unknown/1 (${name})`),
    });
    const snapshot = await Snapshot.read(pool);
    expect(snapshot.search('live', 'practice 777', 0, 1).entry[0]).toMatchObject({
      name: 'Practice 777',
      address: '43215',
    });
    const found = snapshot.search('live', 'family medicine', 0, 20);
    expect(found).toMatchObject({ total: 1, entry: [{ address: '10014 and 1 more place', fhirVersions: ['r4'] }] });
    expect(snapshot.search('live', 'family 43215', 0, 1).entry[0]).toMatchObject({ id: found.entry[0]!.id });
    expect(snapshot.search('live', 'two releases', 0, 1).entry[0]).toMatchObject({ fhirVersions: ['dstu2', 'r4'] });
  });

  const practices = (...zips: string[]): object[] =>
    Array.from({ length: 10 }, (_, number) =>
      zips.map((zip) => row({ url: `${shared}/${number}`, name: `Practice ${number}`, zip })),
    ).flat();

  it('changes nothing when it is loaded again, in whatever order', async () => {
    await load(listOf(...practices('10014', '43215')));
    const version = await selectDirectoryVersion(pool);
    const again = await load(listOf(...practices('10014', '43215').reverse()));
    expect(again).toMatchObject({ total: 10, added: 0, changed: 0, removed: 0 });
    expect(await selectDirectoryVersion(pool)).toBe(version);
  });

  it('keeps the ids when postal addresses come and go, and when endpoints move', async () => {
    const ids = async (): Promise<[string, number][]> => (await entries()).map(({ id, name }) => [name, id]);
    await load(listOf(...practices('43215')));
    const before = await ids();
    for (const rows of [
      practices('10014', '43215'),
      practices('10014'),
      practices('10014').map((given) => ({
        ...given,
        URL: (given as { URL: string }).URL.replace('clinics', 'moved'),
      })),
    ]) {
      expect(await load(listOf(...rows))).toMatchObject({ total: 10, added: 0, changed: 10, removed: 0 });
      expect(await ids()).toEqual(before);
    }
  });

  it('is refused when it is empty', async () => {
    await expect(load('{"Endpoints": null}')).rejects.toThrow(LoadRefused);
  });

  it('leaves the directory as it is when the load is interrupted', async () => {
    await load(listOf(...practices('43215')));
    const [before, version] = [await entries(), await selectDirectoryVersion(pool)];
    const rows = Array.from({ length: 5000 }, (_, number) => row({ url: shared, name: `Practice ${number}` }));
    const blocking = await pool.connect();
    await blocking.query('begin; lock table health_system in exclusive mode');
    const loading = load(listOf(...rows), { force: true });
    loading.catch(() => undefined);
    await eventually(async () => {
      const { rowCount } = await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(rowCount).toBe(1);
    });
    await expect(loading).rejects.toThrow();
    await blocking.query('rollback');
    blocking.release();
    expect(await entries()).toEqual(before);
    expect(await selectDirectoryVersion(pool)).toBe(version);
    expect(await load(listOf(...rows), { force: true })).toMatchObject({ total: 5000 });
  });
});
