import type { ServerResponse } from 'node:http';
import { waitUntil } from '@tributary/test-environment';
import { connection } from '../../test/connection';
import { FakeRecord, loinc } from '../../test/fake-record';
import { allPages, runTool } from '../../test/run-tool';

let record: FakeRecord;
beforeAll(async () => {
  record = await FakeRecord.start();
});
afterEach(() => record.clear());
afterAll(() => record.stop());

const snomed = (code: string, text: string): object => ({
  coding: [{ system: 'http://snomed.info/sct', code, display: text }],
  text,
});
const condition = (id: string, more: object = {}) => ({
  resourceType: 'Condition',
  id,
  code: snomed('38341003', 'Hypertension'),
  clinicalStatus: { coding: [{ code: 'active' }] },
  verificationStatus: { coding: [{ code: 'confirmed' }] },
  onsetDateTime: '2014-05-01',
  ...more,
});
const references = (data: Record<string, unknown>): unknown[] =>
  (data['entries'] as { reference: string }[]).map(({ reference }) => reference);

it('joins what a health system publishes in several releases, and keeps the newest', async () => {
  record.add('dstu2', condition('a1'));
  record.add('stu3', condition('b1'));
  record.add('r4', condition('c1'));
  const { text, data } = await runTool(record, 'list_problems');
  expect(data['entries']).toEqual([
    {
      reference: 'r4/Condition/c1',
      also_in: ['stu3/Condition/b1', 'dstu2/Condition/a1'],
      name: 'Hypertension',
      codes: ['SNOMED CT 38341003'],
      source: 'ehr.example.org',
      status: 'active',
      onset: '2014-05-01',
    },
  ]);
  expect(text).toContain(
    '- Hypertension (SNOMED CT 38341003); status: active; onset: 2014-05-01 [r4/Condition/c1, also in stu3 and dstu2]',
  );
});

it('joins by a code in common when the names differ', async () => {
  record.add('dstu2', condition('a1', { code: snomed('38341003', 'High blood pressure') }));
  record.add('r4', condition('c1'));
  expect((await runTool(record, 'list_problems')).data['total']).toBe(1);
});

it('does not join other days, other health systems, or entries of one release', async () => {
  record.add('r4', condition('c1'));
  record.add('r4', condition('c2'));
  record.add('dstu2', condition('a1', { onsetDateTime: '2014-05-02' }));
  record.add('stu3', condition('b1'), 'clinic.example.org');
  const { data } = await runTool(record, 'list_problems');
  expect(new Set(references(data))).toEqual(
    new Set(['r4/Condition/c1', 'r4/Condition/c2', 'dstu2/Condition/a1', 'stu3/Condition/b1']),
  );
});

it('joins releases of one tenant of a host, and not those of two', async () => {
  record.add('r4', condition('c1'), 'ehr.example.org', '/one');
  record.add('dstu2', condition('a1'), 'ehr.example.org', '/two');
  record.add('stu3', condition('b1'), 'ehr.example.org', '/two');
  const { data } = await runTool(record, 'list_problems');
  expect(new Set(references(data))).toEqual(new Set(['r4/Condition/c1', 'stu3/Condition/b1']));
});

it('takes the source from the extension where a resource has a meta.source of its own', async () => {
  const valueUri = 'https://ehr.example.org/r4/Condition/source';
  const meta = { source: 'urn:uuid:own', extension: [{ url: 'urn:tributary:source-address', valueUri }] };
  record.add('r4', condition('c1', { meta }));
  record.add('dstu2', condition('a1'));
  const { data } = await runTool(record, 'list_problems');
  expect(data['entries']).toEqual([
    expect.objectContaining({ source: 'ehr.example.org', also_in: ['dstu2/Condition/a1'] }),
  ]);
});

it('lists current entries first, then by date, and leaves out what was entered in error', async () => {
  record.add('r4', condition('old-active', { onsetDateTime: '1999' }));
  record.add(
    'r4',
    condition('resolved', { clinicalStatus: { coding: [{ code: 'resolved' }] }, onsetDateTime: '2020' }),
  );
  record.add('r4', condition('new-active', { onsetDateTime: '2021-03' }));
  record.add('r4', condition('wrong', { verificationStatus: { coding: [{ code: 'entered-in-error' }] } }));
  const { data } = await runTool(record, 'list_problems');
  expect(references(data)).toEqual(['r4/Condition/new-active', 'r4/Condition/old-active', 'r4/Condition/resolved']);
  expect(data['notes']).toContain('1 resources that were entered in error are left out.');
});

it.each([
  [{ current_only: true }, ['2021', '1999']],
  [{ since: '2020' }, ['2021', '2020-06']],
  [{ until: '2020' }, ['1999', '2020-06']],
  [{ since: '2020-06', until: '2020-06' }, ['2020-06']],
  [{ text: 'HYPER', since: '2021' }, ['2021']],
  [{ text: '38341003', until: '1999-12-31' }, ['1999']],
  [{ text: 'asthma' }, []],
  [{ since: '2020-06-30T23:59:59Z' }, ['2021']],
  [{ until: '2020-06-01T00:00:00+01:00' }, ['1999']],
])('filters by %j', async (input, dates) => {
  record.add('r4', condition('one', { onsetDateTime: '1999' }));
  record.add('r4', condition('two', { onsetDateTime: '2020-06', clinicalStatus: { coding: [{ code: 'resolved' }] } }));
  record.add('r4', condition('three', { onsetDateTime: '2021' }));
  const { data } = await runTool(record, 'list_problems', input);
  expect((data['entries'] as { onset: string }[]).map(({ onset }) => onset)).toEqual(dates);
});

it.each(['2024-13', '2023-02-29', '2024-01-01T25:00:00Z', '24', 'yesterday', ''])(
  'refuses the date %j',
  async (since) => {
    await expect(runTool(record, 'list_problems', { since })).rejects.toThrow('must be a date');
    await expect(runTool(record, 'list_lab_results', { until: since })).rejects.toThrow('must be a date');
  },
);

it('pages by cursor without repeating or losing an entry, also when entries change in between', async () => {
  for (let n = 0; n < 60; n++) record.add('r4', condition(`c${n}`, { onsetDateTime: '2020-01-01' }));
  const first = await runTool(record, 'list_problems', { limit: 20 });
  record.add('r4', condition('a-new-first', { onsetDateTime: '2021-01-01' }));
  const rest = await allPages(record, 'list_problems', { limit: 20, cursor: first.data['next_cursor'] });
  const seen = [first, ...rest].flatMap(({ data }) => references(data));
  expect(seen).toHaveLength(60);
  expect(new Set(seen).size).toBe(60);
});

it('refuses the cursor of another tool', async () => {
  for (let n = 0; n < 3; n++) record.add('r4', condition(`c${n}`));
  const { data } = await runTool(record, 'list_problems', { limit: 1 });
  for (const tool of ['list_procedures', 'list_lab_results', 'search_fhir'])
    await expect(
      runTool(record, tool, { cursor: data['next_cursor'], ...(tool === 'search_fhir' ? { type: 'Goal' } : {}) }),
    ).rejects.toThrow('The cursor is not valid');
});

it('keeps answers short, and every long field', async () => {
  const note = [{ text: 'x'.repeat(10_000) }];
  for (let n = 0; n < 200; n++) record.add('r4', condition(`c${n}`, { note }));
  const pages = await allPages(record, 'list_problems', { limit: 100 });
  expect(Math.max(...pages.map(({ text }) => text.length))).toBeLessThan(17_500);
  expect(pages.flatMap(({ data }) => references(data))).toHaveLength(200);
});

it('reads all pages of a search, and says when there is more than it reads', async () => {
  for (let n = 0; n < 3200; n++) record.add('r4', condition(`c${n}`));
  const { data } = await runTool(record, 'list_problems');
  expect(data['total']).toBe(3000);
  expect((data['notes'] as string[])[1]).toMatch(/^Only the newest 3000 resources of r4\/Condition were read; more/);
});

it('reads the newest first, and only the period where the record can be searched by it', async () => {
  await runTool(record, 'list_problems', { since: '2020' });
  await runTool(record, 'list_medications', { since: '2020', until: '2021-03' });
  const searched = record.seen.map(({ url }) => `${url.pathname} ${decodeURIComponent(url.search)}`);
  expect(searched).toEqual(
    expect.arrayContaining([
      '/r4/Condition ?_sort=-onset-date,-recorded-date&_count=500',
      '/dstu2/MedicationOrder ?_sort=-datewritten&datewritten=ge2020&datewritten=le2021-03&_count=500',
      '/stu3/MedicationStatement ?_sort=-effective&_count=500',
    ]),
  );
});

it('stops above the size that one call reads, and says so', async () => {
  for (let n = 0; n < 1200; n++) record.add('r4', condition(`c${n}`, { note: [{ text: 'x'.repeat(100) }] }));
  const { data } = await runTool(record, 'list_problems', {}, 50_000);
  expect(data['total']).toBe(500);
  expect(data['notes']).toContainEqual(
    expect.stringContaining('Only the newest 500 resources of r4/Condition were read, because they are large'),
  );
});

it('sends four requests of a call at a time', async () => {
  const held: ServerResponse[] = [];
  let [requests, open, most] = [0, 0, 0];
  const nothing = JSON.stringify({ success: true, resourceType: 'Bundle', type: 'searchset', total: 0, entry: [] });
  const answer = (response: ServerResponse | undefined): unknown =>
    response?.writeHead(200, { 'Content-Type': 'application/json' }).end(nothing);
  record.respond = (response) => {
    // The people of the record are read before.
    if (record.seen.length <= 3) return void answer(response);
    held.push(response);
    requests++;
    most = Math.max(most, ++open);
  };
  const running = runTool(record, 'get_patient_summary');
  await waitUntil(() => held.length === 4);
  // Each response is followed by one more request.
  for (let answered = 1; answered <= 4; answered++) {
    open--;
    answer(held.shift());
    await waitUntil(() => requests === 4 + answered);
  }
  expect(most).toBe(4);
  record.respond = undefined;
  for (const response of held) response.writeHead(503).end();
  await expect(running).rejects.toThrow('not available');
});

it('names medications by their reference, contained or in the record, in each release', async () => {
  const request = (id: string, reference: string, more: object = {}) => ({
    resourceType: 'MedicationRequest',
    id,
    status: 'active',
    authoredOn: '2024-01-01',
    medicationReference: { reference },
    ...more,
  });
  const code = {
    coding: [{ system: 'http://www.nlm.nih.gov/research/umls/rxnorm', code: '314076' }],
    text: 'lisinopril',
  };
  record.add('dstu2', { resourceType: 'Medication', id: 'm1', code });
  record.add('dstu2', request('stored', 'Medication/m1'));
  record.add(
    'r4',
    request('contained', '#m', { contained: [{ resourceType: 'Medication', id: 'm', code }] }),
    'b.example.org',
  );
  record.add(
    'r4',
    request('display', 'Medication/gone', {
      medicationReference: { reference: 'Medication/gone', display: 'aspirin' },
    }),
  );
  const { data } = await runTool(record, 'list_medications');
  const names = new Map(
    (data['entries'] as { reference: string; name: string }[]).map((each) => [each.reference, each.name]),
  );
  expect(names).toEqual(
    new Map([
      ['dstu2/MedicationRequest/stored', 'lisinopril'],
      ['r4/MedicationRequest/contained', 'lisinopril'],
      ['r4/MedicationRequest/display', 'aspirin'],
    ]),
  );
  expect(
    record.seen.some(({ url, accept }) => url.pathname === '/dstu2/Medication' && !accept?.includes('fhirVersion')),
  ).toBe(true);
});

it.each([
  [
    'list_allergies',
    {
      resourceType: 'AllergyIntolerance',
      code: snomed('91936005', 'Penicillin'),
      reaction: [{ manifestation: [snomed('1', 'Hives')], severity: 'mild' }],
    },
    'Penicillin (SNOMED CT 91936005); reactions: Hives – mild',
  ],
  [
    'list_immunizations',
    {
      resourceType: 'Immunization',
      status: 'completed',
      vaccineCode: snomed('1', 'Tetanus'),
      occurrenceDateTime: '2020-02-03',
      lotNumber: 'L1',
    },
    'Tetanus (SNOMED CT 1); status: completed; date: 2020-02-03; lot: L1',
  ],
  [
    'list_procedures',
    {
      resourceType: 'Procedure',
      status: 'completed',
      code: snomed('1', 'Appendectomy'),
      performedPeriod: { start: '2020-01-01', end: '2020-01-02' },
    },
    'Appendectomy (SNOMED CT 1); status: completed; performed: 2020-01-01 – 2020-01-02',
  ],
  [
    'list_encounters',
    {
      resourceType: 'Encounter',
      status: 'finished',
      class: { code: 'AMB' },
      type: [snomed('1', 'Check up')],
      period: { start: '2020-01-01' },
      serviceProvider: { display: 'Clinic' },
    },
    'Check up (SNOMED CT 1); status: finished; class: AMB; period: 2020-01-01; organization: Clinic',
  ],
  [
    'list_documents',
    {
      resourceType: 'DocumentReference',
      status: 'current',
      type: loinc('11506-3', 'Progress note'),
      date: '2020-01-01',
      content: [{ attachment: { contentType: 'text/plain' } }],
    },
    'Progress note (LOINC 11506-3); date: 2020-01-01; formats: text/plain',
  ],
])('%s reads what a model needs', async (tool, resource, line) => {
  record.add('r4', { id: 'x', ...resource });
  expect((await runTool(record, tool)).text).toContain(`- ${line} [r4/${resource.resourceType}/x]`);
});

it.each([
  'list_problems',
  'list_medications',
  'list_allergies',
  'list_immunizations',
  'list_procedures',
  'list_encounters',
  'list_documents',
  'list_lab_results',
  'list_vital_signs',
  'get_patient_summary',
])('%s reads resources whose elements have other shapes than FHIR has', async (tool) => {
  const wrong = [null, 7, 'text', [], [null], {}, [[1]], true];
  const elements = [
    'code',
    'status',
    'clinicalStatus',
    'onsetDateTime',
    'note',
    'reaction',
    'category',
    'type',
    'content',
    'period',
    'valueQuantity',
    'component',
    'referenceRange',
    'medicationReference',
    'dosageInstruction',
    'name',
    'location',
    'effectiveDateTime',
  ];
  const types = [
    'Condition',
    'MedicationRequest',
    'MedicationStatement',
    'AllergyIntolerance',
    'Immunization',
    'Procedure',
    'Encounter',
    'DocumentReference',
    'DiagnosticReport',
    'Observation',
    'Patient',
  ];
  for (const resourceType of types)
    for (const [n, value] of wrong.entries())
      record.add('r4', { resourceType, id: `w${n}`, ...Object.fromEntries(elements.map((name) => [name, value])) });
  expect((await runTool(record, tool)).text.length).toBeGreaterThan(0);
});

describe('an empty list', () => {
  it('says that nothing is connected', async () => {
    const { text } = await runTool(record, 'list_allergies');
    expect(text).toMatch(/^No allergies were found\.\n\nNote: No health system is connected\./);
  });

  it.each([
    [{ status: 'collecting' }, 'General Hospital (r4) is being collected: entries may be missing.'],
    [{ status: 'needs_reauthorization' }, 'General Hospital (r4) needs a new sign-in of the user'],
    [{ status: 'revoked' }, 'General Hospital (r4) was disconnected'],
    [
      {
        complete: false,
        warnings: [{ code: 'search_refused', type: 'AllergyIntolerance', message: 'it refused AllergyIntolerance' }],
      },
      'General Hospital (r4) is incomplete for AllergyIntolerance: it refused AllergyIntolerance',
    ],
  ])('says why entries may be missing: %j', async (state, note) => {
    record.connections = [{ ...connection, ...state }];
    expect((await runTool(record, 'list_allergies')).text).toContain(`Note: ${note}`);
  });

  it('says nothing of the kind when the record is complete', async () => {
    record.connections = [{ ...connection, warnings: [{ code: 'search_refused', type: 'Goal', message: 'no' }] }];
    expect((await runTool(record, 'list_allergies')).text).toBe('No allergies were found.');
  });
});
