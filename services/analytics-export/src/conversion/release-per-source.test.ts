import type { ExportManifest, ExportedFile } from '@tributary/contracts';
import type { Release } from '@tributary/fhir-definitions';
import { SourceIds, type UserRecord, sourceIdsSecret, typeCodeOf } from '@tributary/record-storage';
import { ExportUnderTest, type TestClient, type TestUser, content, exportAddress } from '../../test/export-under-test';

const inR4 = '_outputFormat=application/fhir%2Bndjson;fhirVersion=4.0';
const newest = `${inR4}&_releasePerSource=newest`;

let test: ExportUnderTest;
let client: TestClient;
let first: TestUser;
let second: TestUser;
beforeAll(async () => {
  test = await ExportUnderTest.start({ settings: { fileResources: 3, sweepSeconds: 0.3 } });
  client = test.newClient();
  [first, second] = [test.newUser(client), test.newUser(client)];
  for (const release of ['dstu2', 'stu3', 'r4'] as const) await collect(first.record, 7, release);
  for (const release of ['dstu2', 'stu3'] as const) await collect(first.record, 8, release);
  await collect(second.record, 7, 'stu3');
  await collect(second.record, 9, 'stu3');
  await collect(second.record, 9, 'r4');
});
afterAll(() => test.stop());

/** Writes a Patient, four observations and a Claim, as fhir-store stores those of a release of a health system. */
async function collect(record: UserRecord, healthSystem: number, release: Release): Promise<void> {
  const ids = new SourceIds(await record.secret(sourceIdsSecret), healthSystem, release);
  const change = (type: string, id: string, members: string) => {
    const address = `https://ehr.example.org/${release}/${type}/${id}`;
    const meta =
      release === 'r4'
        ? `"source":"${address}"`
        : `"extension":[{"url":"http://hl7.org/fhir/4.0/StructureDefinition/extension-Meta.source","valueUri":"${address}"}]`;
    const { body, index } = content(members);
    return { typeCode: typeCodeOf(release, type), id: ids.idOf(type, id), body: { ...body, meta }, index };
  };
  await record.noteHealthSystem(healthSystem);
  await record.write([
    change('Patient', 'p', '"gender":"female"'),
    change('Claim', 'x', '"status":"active"'),
    ...[1, 2, 3, 4].map((n) =>
      change('Observation', `o${n}`, `"status":"final","code":{"text":"system ${healthSystem} of ${release}"}`),
    ),
  ]);
}

/** How many observations of each health system and release the files have. */
async function observations(files: readonly ExportedFile[], headers: Record<string, string>) {
  const counts: Record<string, number> = {};
  const lines = await test.lines(
    files.filter(({ type }) => type === 'Observation'),
    headers,
  );
  for (const line of lines) {
    const text = /"text":"system ([^"]*)"/.exec(line)?.[1] ?? '';
    counts[text] = (counts[text] ?? 0) + 1;
  }
  return counts;
}

async function leftOutClaims({ error }: ExportManifest, headers: Record<string, string>): Promise<string[]> {
  return (await test.lines(error, headers))
    .map((line) => /\d+ resources? of type Claim of FHIR \w+/.exec(line)?.[0] ?? line)
    .toSorted();
}

it('has each health system of a user in the newest release of the record', async () => {
  const all = await test.manifest(first.bearer, `?${inR4}`);
  expect(Object.keys(await observations(all.output, first.bearer))).toHaveLength(5);
  const manifest = await test.manifest(first.bearer, `?${newest}`);
  expect(await observations(manifest.output, first.bearer)).toEqual({ '7 of r4': 4, '8 of stu3': 4 });
  expect(await leftOutClaims(manifest, first.bearer)).toEqual(['1 resource of type Claim of FHIR STU3']);
});

it('decides for each user of a client', async () => {
  const { output } = await test.manifest(client.headers, `?${newest}`);
  expect(await observations(output, client.headers)).toEqual({
    '7 of r4': 4,
    '7 of stu3': 4,
    '8 of stu3': 4,
    '9 of r4': 4,
  });
});

it('is combined with other filters', async () => {
  const { output } = await test.manifest(first.bearer, `?${newest}&_type=Observation&_elements=code`);
  expect(await observations(output, first.bearer)).toEqual({ '7 of r4': 4, '8 of stu3': 4 });
});

it('is the same for a file that is downloaded after a newer release has come', async () => {
  const user = test.newUser(client);
  await collect(user.record, 7, 'stu3');
  const { output } = await test.manifest(user.bearer, `?${newest}`);
  await collect(user.record, 7, 'r4');
  expect(await observations(output, user.bearer)).toEqual({ '7 of stu3': 4 });
  const later = await test.manifest(user.bearer, `?${newest}`);
  expect(await observations(later.output, user.bearer)).toEqual({ '7 of r4': 4 });
});

it.each([
  [`${inR4}&_releasePerSource=oldest`, '', 400],
  ['_releasePerSource=newest', '', 400],
  ['_releasePerSource=newest', 'handling=strict', 400],
  ['_releasePerSource=newest', 'handling=lenient', 200],
])('%s with Prefer "%s": %i', async (query, prefer, status) => {
  const response = await test.get(`${exportAddress}?${query}`, {
    ...first.bearer,
    ...(prefer === '' ? {} : { Prefer: prefer }),
  });
  expect(response.status).toBe(status);
  if (status === 400) expect(response.text).toContain('_releasePerSource: ');
});
