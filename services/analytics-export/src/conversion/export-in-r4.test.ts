import { gunzipSync } from 'node:zlib';
import type { ExportManifest, ExportedFile } from '@tributary/contracts';
import { type Resource, isJsonObject, parseJson } from '@tributary/fhir-json';
import { validateResource } from '@tributary/fhir-validation';
import { typeCodeOf } from '@tributary/record-storage';
import request from 'supertest';
import {
  ExportUnderTest,
  type TestClient,
  type TestUser,
  analyticsUrl,
  binary,
  content,
  exportAddress,
  fill,
  linesOf,
} from '../../test/export-under-test';

const inR4 = '_outputFormat=application/fhir%2Bndjson;fhirVersion=4.0';
const secret = 'Secret-4711';
let test: ExportUnderTest;
let client: TestClient;
let user: TestUser;
let patient: string;
let orders: string[];
beforeAll(async () => {
  test = await ExportUnderTest.start({ settings: { fileResources: 40, sweepSeconds: 0.3 } });
  client = test.newClient();
  user = test.newUser(client);
  const { record } = user;
  [patient = ''] = await fill(
    record,
    'dstu2',
    'Patient',
    1,
    () => '"gender":"female","animal":{"species":{"text":"cat"}}',
  );
  const subject = `{"reference":"Patient/${patient}"}`;
  const order = (i: number): string =>
    `"status":"${i % 3 === 0 ? 'completed' : 'active'}","patient":${subject},"medicationCodeableConcept":{"text":"x"},"dispenseRequest":{"quantity":{"value":${i}.50}}`;
  orders = [
    ...(await fill(record, 'dstu2', 'MedicationOrder', 40, order)),
    ...(await fill(record, 'dstu2', 'MedicationOrder', 5, order)),
  ];
  await fill(
    record,
    'stu3',
    'MedicationRequest',
    2,
    () => `"intent":"order","subject":${subject},"medicationCodeableConcept":{"text":"x"}`,
  );
  await fill(
    record,
    'r4',
    'MedicationRequest',
    3,
    () => `"status":"active","intent":"order","subject":${subject},"medicationCodeableConcept":{"text":"x"}`,
  );
  await fill(record, 'stu3', 'Observation', 5, (i) =>
    i < 3
      ? `"status":"final","code":{"text":"x"}`
      : i === 3
        ? `"status":"final","code":{"text":"x"},"nickname":"${secret}"`
        : '"code":{"text":"x"}',
  );
  await fill(record, 'stu3', 'Claim', 2, () => `"status":"active","patient":${subject}`);
  await fill(record, 'dstu2', 'BodySite', 1, () => `"patient":${subject}`);
});
afterAll(() => test.stop());

const summary = (files: readonly ExportedFile[]): string[] =>
  files
    .map(({ type, count, extension }) => `${type} ${extension.fhirVersion} ${count} from ${extension.convertedFrom}`)
    .toSorted();

async function resources(files: readonly ExportedFile[]): Promise<Resource[]> {
  return (await test.lines(files, user.bearer)).map((line) => parseJson(line) as Resource);
}

function conversionTags({ meta }: Resource): string[] {
  const tags = Array.isArray(meta?.['tag']) ? meta['tag'] : [];
  return tags.flatMap((tag) =>
    isJsonObject(tag) && String(tag['system']).endsWith('/conversion') ? [String(tag['code'])] : [],
  );
}

describe('an export in R4', () => {
  it('converts resources of other releases, one type per file, and reports what is left out', async () => {
    const { output, error, deleted } = await test.manifest(user.bearer, `?${inR4}`);
    expect(summary(output)).toEqual([
      'MedicationRequest r4 2 from stu3',
      'MedicationRequest r4 3 from undefined',
      'MedicationRequest r4 40 from dstu2',
      'MedicationRequest r4 5 from dstu2',
      'Observation r4 3 from stu3',
      'Patient r4 1 from dstu2',
    ]);
    for (const file of output) {
      expect(file.url).toContain(`/$export/${file.type}/`);
      for (const resource of await resources([file])) {
        expect(resource.resourceType).toBe(file.type);
        expect(validateResource('r4', resource)).toEqual([]);
        expect(conversionTags(resource)).toEqual(
          file.extension.convertedFrom ? [`converted-from-${file.extension.convertedFrom}`] : [],
        );
      }
    }
    const converted = output.filter(
      ({ type, extension }) => type === 'MedicationRequest' && extension.convertedFrom === 'dstu2',
    );
    expect((await resources(converted)).map(({ id }) => id).toSorted()).toEqual(orders.toSorted());
    expect((await test.lines(converted, user.bearer)).join('\n')).toContain('"value":39.50');
    expect([deleted, summary(error)]).toEqual([
      [],
      ['OperationOutcome r4 1 from dstu2', 'OperationOutcome r4 1 from stu3', 'OperationOutcome r4 1 from stu3'],
    ]);
    const outcomes = await resources(error);
    for (const outcome of outcomes) expect(validateResource('r4', outcome)).toEqual([]);
    const issues = outcomes.flatMap(({ issue }) => issue as { code: string; diagnostics: string }[]);
    expect(issues.map(({ code, diagnostics }) => `${code}: ${diagnostics}`).toSorted()).toEqual([
      'not-supported: 1 resource of type BodySite of FHIR DSTU2 is left out: there is no conversion of this type to R4',
      'not-supported: 2 resources of type Claim of FHIR STU3 are left out: there is no conversion of this type to R4',
      'processing: 1 resource of type Observation of FHIR STU3 is left out: not converted to R4. R4 requires Observation.status, and the resource has no value for it that R4 allows.',
      'processing: 1 resource of type Observation of FHIR STU3 is left out: not converted to R4. The release of the resource has no element Observation.nickname.',
    ]);
    expect(JSON.stringify(issues)).not.toContain(secret);
  });

  it('leaves resources of R4 as they are, byte for byte, and is only made on request', async () => {
    const ofR4 = ({ output }: ExportManifest): ExportedFile[] =>
      output.filter(({ extension }) => extension.fhirVersion === 'r4' && extension.convertedFrom === undefined);
    const native = await test.manifest(user.bearer, '?_outputFormat=application/fhir%2Bndjson');
    expect([native.error, native.output.filter(({ extension }) => extension.fhirVersion !== 'r4').length]).toEqual([
      [],
      7,
    ]);
    expect(await test.lines(ofR4(await test.manifest(user.bearer, `?${inR4}`)), user.bearer)).toEqual(
      await test.lines(ofR4(native), user.bearer),
    );
  });

  it('has the same bytes each time, plain and gzipped, below the R4 type alone', async () => {
    const { output } = await test.manifest(user.bearer, `?${inR4}&_type=MedicationOrder`);
    const [file] = output;
    const plain = { ...user.bearer, 'Accept-Encoding': 'identity' };
    const bytes = await test.bytes(file!, plain);
    expect((await test.bytes(file!, plain)).equals(bytes)).toBe(true);
    const packed = await test
      .get(file!.url, { ...user.bearer, 'Accept-Encoding': 'gzip' })
      .buffer(true)
      .parse(binary);
    const body = packed.body as Buffer;
    expect((body[0] === 0x1f ? gunzipSync(body) : body).equals(bytes)).toBe(true);
    expect(packed.headers['content-disposition']).toBe('attachment; filename="MedicationRequest.r4.ndjson"');
    for (const type of ['MedicationOrder', 'MedicationStatement'])
      expect((await test.get(file!.url.replace('/MedicationRequest/', `/${type}/`), user.bearer)).status).toBe(404);
    expect((await test.get(file!.url, test.newUser(client).bearer)).status).toBe(404);
  });

  it('takes the R4 types and searches: MedicationRequest holds the orders of DSTU2 too', async () => {
    const counts = async (query: string): Promise<number> =>
      (await test.manifest(user.bearer, `?${inR4}&${query}`)).output.reduce((sum, { count }) => sum + count, 0);
    expect(await counts('_type=MedicationRequest')).toBe(50);
    expect(await counts('_type=MedicationOrder')).toBe(45);
    expect(await counts('_type=MedicationRequest&_typeFilter=MedicationRequest%3Fstatus=completed')).toBe(16);
    expect(
      await counts(
        '_type=MedicationRequest&_typeFilter=MedicationRequest%3Fstatus=completed&_elements=MedicationRequest.status',
      ),
    ).toBe(16);
    expect(
      (await test.get(`${exportAddress}?${inR4}&_typeFilter=MedicationOrder%3Fstatus=active`, user.bearer)).status,
    ).toBe(400);
    const { output } = await test.manifest(
      user.bearer,
      `?${inR4}&_type=MedicationRequest&_typeFilter=MedicationRequest%3Fstatus=completed&_elements=status`,
    );
    for (const resource of await resources(output)) {
      expect([resource['status'], resource['dispenseRequest']]).toEqual(['completed', undefined]);
      expect(conversionTags(resource)).toEqual(['converted-from-dstu2']);
    }
  });

  it('is for a client limited to the R4 type, or to the one that is stored, too', async () => {
    const counts = { 'system/MedicationRequest.read': 50, 'system/MedicationOrder.read': 45 };
    for (const [scope, count] of Object.entries(counts)) {
      const bearer = { Authorization: `Bearer ${test.auth.addToken(client.client_id, undefined, scope)}` };
      const { output } = await test.manifest(bearer, `?${inR4}`);
      expect(await test.lines(output, bearer)).toHaveLength(count);
    }
    const other = {
      Authorization: `Bearer ${test.auth.addToken(client.client_id, undefined, 'system/Observation.read')}`,
    };
    const [file] = (await test.manifest(client.headers, `?${inR4}&_type=MedicationRequest`)).output;
    expect((await test.get(file!.url, other)).status).toBe(404);
    const { error } = await test.manifest(other, `?${inR4}`);
    expect(await test.lines(error, other)).toHaveLength(1);
  });

  it('reports as left out only resources of the requested patients', async () => {
    const other = test.newUser(client);
    const [one = '', two = ''] = await fill(other.record, 'stu3', 'Patient', 2, () => '"active":true');
    const of = (id: string): string => `"subject":{"reference":"Patient/${id}"}`;
    await fill(
      other.record,
      'stu3',
      'Observation',
      6,
      (i) => `"status":"final","code":{"text":"x"},${of(i < 2 ? one : two)}${i % 2 === 0 ? ',"nickname":1' : ''}`,
    );
    await fill(other.record, 'stu3', 'Claim', 3, (i) => `"patient":{"reference":"Patient/${i === 0 ? one : two}"}`);
    const parameter = [
      { name: 'patient', valueReference: { reference: `Patient/${one}` } },
      { name: '_outputFormat', valueString: 'application/fhir+ndjson;fhirVersion=4.0' },
    ];
    const answer = await request(test.app())
      .post(exportAddress)
      .set(other.bearer)
      .type('application/fhir+json')
      .send(JSON.stringify({ resourceType: 'Parameters', parameter }));
    const { output, error } = answer.body as ExportManifest;
    expect(summary(output)).toEqual(['Observation r4 1 from stu3', 'Patient r4 1 from stu3']);
    await test.lines(output, other.bearer);
    expect(
      (await test.lines(error, other.bearer))
        .map((line) => /"diagnostics":"(\d+ resources? of type \w+)/.exec(line)?.[1])
        .toSorted(),
    ).toEqual(['1 resource of type Claim', '1 resource of type Observation']);
  });

  it('counts correctly after cached results have become outdated', async () => {
    const { record, bearer } = test.newUser(client);
    const typeCode = typeCodeOf('stu3', 'Observation');
    const ids = await fill(record, 'stu3', 'Observation', 90, () => '"status":"final","code":{"text":"x"}');
    const counts = async (): Promise<[number, number]> => {
      const { output, error } = await test.manifest(bearer, `?${inR4}`);
      await test.lines(output, bearer);
      const told = (await test.lines(error, bearer)).map((line) => Number(/"diagnostics":"(\d+) /.exec(line)?.[1]));
      return [output.reduce((sum, { count }) => sum + count, 0), told.reduce((sum, count) => sum + count, 0)];
    };
    expect([await counts(), await counts()]).toEqual([
      [90, 0],
      [90, 0],
    ]);
    for (const id of ids.slice(0, 3)) await record.update(typeCode, id, content('"code":{"text":"x"}'));
    await record.delete(typeCode, ids[3]!);
    expect([await counts(), await counts()]).toEqual([
      [86, 3],
      [86, 3],
    ]);
    await test.storage.compactRecord(record.userId);
    expect(await counts()).toEqual([86, 3]);
    await record.update(typeCode, ids[0]!, content('"status":"final","code":{"text":"x"}'));
    expect(await counts()).toEqual([87, 2]);
  });

  it('names deletions by the R4 type', async () => {
    const other = test.newUser(client);
    const [first = '', second = ''] = await fill(
      other.record,
      'dstu2',
      'MedicationOrder',
      2,
      () => `"patient":{"reference":"Patient/${patient}"}`,
    );
    const [claim = ''] = await fill(other.record, 'stu3', 'Claim', 1);
    const since = `_since=${(await test.manifest(other.bearer)).transactionTime}`;
    await other.record.delete(typeCodeOf('dstu2', 'MedicationOrder'), first);
    await other.record.delete(typeCodeOf('stu3', 'Claim'), claim);
    for (const query of [`${inR4}&${since}`, `${inR4}&${since}&_type=MedicationRequest`]) {
      const { output, deleted, error } = await test.manifest(other.bearer, `?${query}`);
      expect([output, error, summary(deleted)]).toEqual([[], [], ['Bundle r4 1 from dstu2']]);
      expect((await test.lines(deleted, other.bearer)).map((line) => JSON.parse(line))).toEqual([
        {
          resourceType: 'Bundle',
          type: 'transaction',
          entry: [{ request: { method: 'DELETE', url: `MedicationRequest/${first}` } }],
        },
      ]);
    }
    expect(second).not.toBe(first);
  });

  it('takes every spelling, and refuses other releases', async () => {
    for (const format of [
      'application/fhir+ndjson;fhirVersion=4.0',
      'application/fhir%2Bndjson%3B%20fhirVersion%3D%224.0.1%22',
      'application/fhir+ndjson;+fhirVersion=4.0.1',
    ]) {
      const { output } = await test.manifest(user.bearer, `?_type=Patient&_outputFormat=${format}`);
      expect(summary(output)).toEqual(['Patient r4 1 from dstu2']);
    }
    for (const version of ['1.0', '3.0', '5.0', '4.3', 'r4', ''])
      expect(
        (await test.get(`${exportAddress}?_outputFormat=application/fhir%2Bndjson;fhirVersion=${version}`, user.bearer))
          .status,
      ).toBe(400);
  });

  it('comes asynchronously too, with and without a selection', async () => {
    for (const query of [inR4, `${inR4}&_elements=status,code`]) {
      const now = await test.manifest(user.bearer, `?${query}`);
      const begun = await test.get(`${exportAddress}?${query}`, { ...user.bearer, Prefer: 'respond-async' });
      const address = (begun.headers['content-location'] as string).replace(analyticsUrl, '');
      let answer = await test.get(address, user.bearer);
      while (answer.status === 202) answer = await test.get(address, user.bearer);
      const later = answer.body as ExportManifest;
      expect([summary(later.output), summary(later.error)]).toEqual([summary(now.output), summary(now.error)]);
      expect(await test.lines(later.output, user.bearer)).toEqual(await test.lines(now.output, user.bearer));
      expect(linesOf(await test.bytes(later.error[0]!, user.bearer))).toHaveLength(1);
    }
  });
});
