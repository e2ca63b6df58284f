import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Pool } from 'pg';
import { type DirectoryDatabase, openDirectory } from '../test/directory-database';
import { Snapshot } from './directory/snapshot';
import { sourceNameOf } from './loading/file-source';
import { loadFile } from './loading/load-file';
import type { LoadReport } from './loading/load-report';
import { realBundles, withRealDirectory } from '../test/real-directory';

let directory: DirectoryDatabase;
let pool: Pool;

beforeAll(async () => {
  directory = await openDirectory(2);
  ({ pool } = directory);
});
afterAll(async () => {
  await directory.close();
});

const load = (origin: string): Promise<LoadReport> =>
  loadFile(pool, { origin, source: sourceNameOf(origin), force: false, sandbox: false });
const names = (snapshot: Snapshot, query: string): string[] =>
  snapshot.search('live', query, 0, 20).entry.map(({ name }) => name);

withRealDirectory('the real bundles', () => {
  let snapshot: Snapshot;
  let reports: LoadReport[];

  beforeAll(async () => {
    reports = [];
    for (const file of realBundles.brands) reports.push(await load(file));
    snapshot = await Snapshot.read(pool);
  });

  it('load almost completely', () => {
    expect(snapshot.size).toBeGreaterThan(4900);
    for (const { total, organizations } of reports) expect(total / organizations).toBeGreaterThan(0.98);
  });

  it('keep all ids when they are loaded again', async () => {
    for (const file of realBundles.brands) expect(await load(file)).toMatchObject({ added: 0, changed: 0, removed: 0 });
  });

  it('are found by typical queries', () => {
    expect(names(snapshot, 'brooklyn hospital')[0]).toBe('The Brooklyn Hospital Center');
    expect(names(snapshot, 'brooklyn hospital')).toContain('NewYork-Presbyterian Brooklyn Methodist Hospital');
    expect(names(snapshot, 'mayo clnic')[0]).toBe('Mayo Clinic');
    expect(names(snapshot, 'clevland clinic')[0]).toBe('Cleveland Clinic');
    expect(names(snapshot, 'jhon hopkins')).toContain('Johns Hopkins Medicine');
    expect(names(snapshot, 'new york presbyterian')).toContain('NewYork-Presbyterian Brooklyn Methodist Hospital');
    expect(names(snapshot, 'saint lukes').filter((name) => name === "St. Luke's Hospital")).toHaveLength(3);
    expect(names(snapshot, 'ucsf')).toEqual(['UCSF Health', "UCSF Benioff Children's Hospital"]);
  });

  it('are found by words without spaces, and by common names', () => {
    expect(names(snapshot, 'mayoclinic')[0]).toBe('Mayo Clinic');
    expect(names(snapshot, 'clevelandclinic')[0]).toBe('Cleveland Clinic');
    expect(names(snapshot, 'massachusetts general')[0]).toBe('Mass General Brigham');
  });

  it('are found by postal code, the same code first and nearby codes after it', () => {
    const addresses = (query: string): string[] =>
      snapshot.search('live', query, 0, 20).entry.map(({ address }) => address);
    const own = snapshot.search('live', '43213', 0, 20).entry.findIndex(({ address }) => !address.startsWith('43213'));
    expect(own).toBeGreaterThan(1);
    expect(
      addresses('43213')
        .slice(own)
        .every((address) => address.startsWith('432') && !address.startsWith('43213')),
    ).toBe(true);
    expect(addresses('43215')[0]).toMatch(/^4321/);
    expect(addresses('43215').every((address) => address.startsWith('432'))).toBe(true);
  });

  it('list each release once, and are merged when published once per release', () => {
    const [found] = snapshot.search('live', 'shriners children', 0, 20).entry;
    expect(found).toMatchObject({ name: "Shriners Children's", fhirVersions: ['dstu2', 'r4'] });
  });
});

withRealDirectory('a real bundle whose endpoints name no release', () => {
  const named = realBundles.brands.find((file) => basename(file) === 'cerner.brands.json.gz') ?? '';
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'directory-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('loads with the releases that the addresses name', async () => {
    const url = 'http://hl7.org/fhir/StructureDefinition/endpoint-fhir-version';
    const bundle = JSON.parse(gunzipSync(await readFile(named)).toString(), (_key, value: unknown) =>
      Array.isArray(value) ? value.filter((each: { url?: string } | null) => each?.url !== url) : value,
    ) as object;
    const text = JSON.stringify(bundle);
    expect(text).not.toContain('endpoint-fhir-version');
    const file = join(folder, 'without-releases.brands.json.gz');
    await writeFile(file, gzipSync(text));
    const report = await load(file);
    expect(report.releases).toMatchObject({ extension: 0 });
    expect(report.releases.address).toBeGreaterThan(0);
    expect(report.total).toBeGreaterThan(0);
    expect(report.entry.map(({ fhirVersions }) => fhirVersions)).toContainEqual(['dstu2', 'r4']);
  });
});

withRealDirectory('the examples of HL7', () => {
  it('load with every feature of the format', async () => {
    for (const file of realBundles.examples) expect(await load(file)).toMatchObject({ rejected: [] });
    const snapshot = await Snapshot.read(pool);
    const [laboratory] = snapshot.search('live', 'examplelabs anchorage', 0, 20).entry;
    expect(laboratory).toMatchObject({
      name: 'ExampleLabs',
      address: '4015 Lake Otis Pkwy, Anchorage, AK 99508',
      fhirVersions: ['r4'],
      logo: expect.stringMatching(/^data:image\/svg/),
    });
    const [parent, ...children] = snapshot.search('live', 'examplehealth', 0, 20).entry;
    expect(parent).toMatchObject({
      name: 'ExampleHealth',
      fhirVersions: ['dstu2', 'r4'],
      logo: 'https://example.org/examplehealth/logo/main.1024x1024.png',
    });
    expect(children.map(({ name, fhirVersions }) => [name, fhirVersions])).toEqual(
      expect.arrayContaining([['ExampleHealth Community Hospital', ['dstu2', 'r4']]]),
    );
    expect(names(snapshot, 'goodhealth')).toEqual(expect.arrayContaining(['ExampleHealth', 'ExampleHospital']));
    expect(names(snapshot, 'cedar rapids')[0]).toBe('ExampleHealth');
    const brands = snapshot.search('live', 'sonoma', 0, 20).entry;
    expect(brands.map(({ name }) => name)).toEqual(expect.arrayContaining(['Brand1', 'Brand2']));
    const [one, two] = brands.map(({ id }) => snapshot.find(id)?.endpoints);
    expect(one).toEqual(two);
    const [twoPortals] = snapshot.search('live', 'examplehospital', 0, 1).entry;
    expect(snapshot.find(twoPortals!.id)?.endpoints.map(({ fhir_base_url }) => new URL(fhir_base_url).host)).toEqual([
      'ehr1.example.org',
      'ehr2.example.org',
    ]);
  });
});

describe('the example directory', () => {
  it('loads completely, with all releases', async () => {
    const report = await load(resolve(__dirname, '../directory/example.brands.json'));
    expect(report).toMatchObject({ source: 'example', total: 66, rejected: [] });
    const snapshot = await Snapshot.read(pool);
    expect(names(snapshot, 'centro medico')).toContain('Turquoise Mesa Medical Center');
    expect(snapshot.search('live', '43215', 0, 1).entry[0]).toMatchObject({
      name: 'Buckeye Bend Health System',
      address: '1400 Buckeye Bend Rd, Columbus, OH 43215',
      fhirVersions: expect.arrayContaining(['r4']),
    });
  });
});
