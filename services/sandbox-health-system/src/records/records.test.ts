import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { recordedPeople } from './recorded-people';
import { storedResource } from './stored-resource';

describe('a stored resource', () => {
  const at = Date.UTC(2024, 0, 1);

  it('keeps its text, and gets the meta that it lacks', () => {
    const stored = storedResource('{"resourceType":"Observation","id":"a","valueQuantity":{"value":1.10}}', at)!;
    expect(stored.text).toBe(
      '{"meta":{"versionId":"1","lastUpdated":"2024-01-01T00:00:00.000Z"},"resourceType":"Observation","id":"a","valueQuantity":{"value":1.10}}',
    );
  });

  it('keeps the meta that it has', () => {
    const tagged = storedResource(
      '{"resourceType":"Basic","id":"a","code":{"text":"}\\"{"},"meta":{"tag":[{"code":"x"}]}}',
      at,
    )!;
    expect(JSON.parse(tagged.text)).toEqual({
      resourceType: 'Basic',
      id: 'a',
      code: { text: '}"{' },
      meta: { versionId: '1', lastUpdated: '2024-01-01T00:00:00.000Z', tag: [{ code: 'x' }] },
    });
    const whole = '{"resourceType":"Basic","id":"a","meta":{"versionId":"7","lastUpdated":"2020-02-02T02:02:02Z"}}';
    expect(storedResource(whole, at)).toEqual({
      type: 'Basic',
      id: 'a',
      text: whole,
      versionId: '7',
      lastUpdated: Date.UTC(2020, 1, 2, 2, 2, 2),
    });
    expect(JSON.parse(storedResource('{"resourceType":"Basic","id":"a","meta":{}}', at)!.text)).toHaveProperty(
      'meta.versionId',
      '1',
    );
  });

  it('gets the same id at each start when it has none', () => {
    const text = '{"resourceType":"Basic"}';
    expect(storedResource(text, at)!.id).toMatch(/^[0-9a-f]{32}$/);
    expect(storedResource(text, at)!.id).toBe(storedResource(text, at + 1)!.id);
  });

  it('is nothing without a type', () => {
    for (const text of ['', '  ', '[]', '{}', 'null', '{"resourceType":'])
      expect(storedResource(text, at)).toBeUndefined();
  });
});

describe('a records directory', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sandbox-records-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('is refused when a Patient cannot be read, or there is none', async () => {
    mkdirSync(join(directory, 'r4'));
    const file = join(directory, 'r4', 'Patient.ndjson');
    writeFileSync(file, '{"resourceType":"Patient","id":"a"}\n\n{bad');
    await expect(recordedPeople(directory)).rejects.toThrow(`${file}, line 3: this is no FHIR resource in JSON`);
    writeFileSync(file, '\n');
    await expect(recordedPeople(directory)).rejects.toThrow('holds no Patient');
  });

  const write = (path: string, content: string): void => {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), path.endsWith('.gz') ? gzipSync(content) : content);
  };
  const patient = (id: string) => ({ resourceType: 'Patient', id });
  const bundle = (...resources: { id?: string; resourceType: string; [element: string]: unknown }[]): string =>
    JSON.stringify(
      {
        resourceType: 'Bundle',
        type: 'transaction',
        entry: resources.map((resource, index) => ({
          fullUrl: `urn:uuid:${resource.id ?? `made-${index}`}`,
          resource,
        })),
      },
      null,
      1,
    );

  it('makes one person of the files of one name in several releases, and prefers NDJSON to its Bundle', async () => {
    write(
      'r4/ann.ndjson',
      `${JSON.stringify(patient('r'))}\n{"resourceType":"Basic","id":"b","subject":{"reference":"Patient/r"},"x":1.50}\n`,
    );
    write('r4/bundles/ann.bundle.json.gz', bundle(patient('from-bundle')));
    write('dstu2/ann.ndjson.gz', JSON.stringify(patient('d')));
    const people = await recordedPeople(directory);
    expect(people.map(({ username, releases }) => [username, releases])).toEqual([['ann', ['dstu2', 'r4']]]);
    expect((await people[0]!.record('r4'))!.patientId).toBe('r');
    expect((await people[0]!.record('r4'))!.read('Basic', 'b')!.text).toContain('"x":1.50');
    expect((await people[0]!.record('dstu2'))!.patientId).toBe('d');
    expect(await people[0]!.record('stu3')).toBeUndefined();
  });

  it('has to be there, with something in it', async () => {
    await expect(recordedPeople(directory)).rejects.toThrow('no NDJSON file');
    await expect(recordedPeople(join(directory, 'absent'))).rejects.toThrow('is not there');
  });

  it('resolves links within a Bundle, and gives ids from fullUrl', async () => {
    const observation = {
      resourceType: 'Observation',
      subject: { reference: 'urn:uuid:p' },
      focus: [{ reference: 'urn:uuid:elsewhere' }],
    };
    write('stu3/Bob Smith.json', bundle(patient('p'), observation));
    const [person] = await recordedPeople(directory);
    expect(person!.username).toBe('Bob-Smith');
    const stored = (await person!.record('stu3'))!.read('Observation', 'made-1')!;
    expect(JSON.parse(stored.text)).toMatchObject({
      id: 'made-1',
      subject: { reference: 'Patient/p' },
      focus: [{ reference: 'urn:uuid:elsewhere' }],
    });
  });

  it('reads the output of Synthea: its folders, and the files that all patients share', async () => {
    const identifier = [{ system: 'http://hl7.org/fhir/sid/us-npi', value: '999' }];
    write(
      'fhir/practitionerInformation1.json',
      bundle({ resourceType: 'Practitioner', id: 'doc', identifier }, { resourceType: 'Practitioner', id: 'other' }),
    );
    write(
      'fhir/Ann_Lee.json',
      bundle(patient('p'), {
        resourceType: 'Encounter',
        id: 'e',
        participant: [{ individual: { reference: 'Practitioner?identifier=http://hl7.org/fhir/sid/us-npi|999' } }],
      }),
    );
    const people = await recordedPeople(directory);
    expect(people.map(({ username }) => username)).toEqual(['Ann_Lee']);
    const record = (await people[0]!.record('r4'))!;
    expect(record.read('Encounter', 'e')!.text).toContain('"Practitioner/doc"');
    expect(record.read('Practitioner', 'doc')).toBeDefined();
    expect(record.read('Practitioner', 'other')).toBeUndefined();
  });

  it('deals files of one type out to their patients', async () => {
    write('Patient.ndjson', [patient('a'), patient('b')].map((resource) => JSON.stringify(resource)).join('\n'));
    write(
      'Observation.000.ndjson',
      ['a', 'a', 'b']
        .map((id, index) =>
          JSON.stringify({
            resourceType: 'Observation',
            id: String(index),
            subject: { reference: `Patient/${id}` },
            performer: [{ reference: 'Practitioner/d' }],
          }),
        )
        .join('\n'),
    );
    write('Practitioner.ndjson', '{"resourceType":"Practitioner","id":"d"}');
    const people = await recordedPeople(directory);
    expect(people.map(({ username }) => username)).toEqual(['a', 'b']);
    const record = (await people[0]!.record('r4'))!;
    expect(record.list('Observation').length).toBe(2);
    expect(record.read('Practitioner', 'd')).toBeDefined();
    expect(record.read('Patient', 'b')).toBeUndefined();
  });

  it('lets a search find the shared resources to which no reference leads', async () => {
    write(
      'r4/ann.ndjson',
      [
        patient('p'),
        { resourceType: 'Organization', id: 'alone' },
        { resourceType: 'Organization', id: 'known' },
        { resourceType: 'Encounter', id: 'e', serviceProvider: { reference: 'Organization/known' } },
      ]
        .map((resource) => JSON.stringify(resource))
        .join('\n'),
    );
    const [person] = await recordedPeople(directory);
    const record = (await person!.record('r4'))!;
    expect(record.list('Organization').length).toBe(1);
    expect(record.list('Organization').at(0)!.id).toBe('alone');
    expect(record.read('Organization', 'known')).toBeDefined();
  });
});
