import { DecimalText } from '@tributary/fhir-json';
import { connection } from '../../test/connection';
import { FakeRecord, loinc } from '../../test/fake-record';
import { runTool } from '../../test/run-tool';

let record: FakeRecord;
beforeAll(async () => {
  record = await FakeRecord.start();
});
afterEach(() => record.clear());
afterAll(() => record.stop());

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const goal = (id: string, more: object = {}) => ({ resourceType: 'Goal', id, description: { text: 'Walk' }, ...more });

describe('search_fhir', () => {
  it('returns resources without narratives, versions and encoded content', async () => {
    record.add(
      'r4',
      goal('g', {
        text: { status: 'generated', div: '<div>x</div>' },
        meta: { versionId: '3', source: 's' },
        attachment: { data: 'A'.repeat(300) },
      }),
    );
    const { text, data } = await runTool(record, 'search_fhir', { type: 'Goal' });
    expect(data['entries']).toEqual([
      {
        reference: 'r4/Goal/g',
        included: false,
        resource: {
          resourceType: 'Goal',
          id: 'g',
          description: { text: 'Walk' },
          meta: { source: 's' },
          attachment: { data: '(300 characters of base64 are left out; use read_document)' },
        },
      },
    ]);
    expect(text).toMatch(/^1 resources of 1 of r4\/Goal:\n- r4\/Goal\/g: \{"/);
  });

  it('keeps the texts of sections and of authors, other long data, the address of the source, and digits', async () => {
    const extension = [{ url: 'urn:tributary:source-address', valueUri: 'https://ehr.example.org/r4/Composition/1' }];
    const signal = 'E '.repeat(200);
    record.add('r4', {
      resourceType: 'Composition',
      id: 'c',
      meta: { versionId: '1', extension: [...extension, { url: 'other' }] },
      text: { status: 'additional', div: '<div>By <b>hand</b></div>' },
      section: [{ title: 'Plan', text: { status: 'generated', div: '<div><p>Rest</p><p>Walk</p></div>' } }],
      contained: [{ resourceType: 'Patient', text: { status: 'generated', div: '<div>P</div>' } }],
      sampled: { origin: { value: new DecimalText('5.0') }, data: signal },
    });
    const { text, data } = await runTool(record, 'search_fhir', { type: 'Composition' });
    expect((data['entries'] as { resource: object }[])[0]?.resource).toEqual({
      resourceType: 'Composition',
      id: 'c',
      meta: { extension },
      text: 'By hand',
      section: [{ title: 'Plan', text: 'Rest\n\nWalk' }],
      contained: [{ resourceType: 'Patient' }],
      sampled: { origin: { value: 5 }, data: signal },
    });
    expect(text).toContain('"value":5.0');
  });

  it('continues by cursor within a page of long resources, and over pages', async () => {
    for (let n = 0; n < 25; n++) record.add('r4', goal(`g${n}`, { note: 'x'.repeat(4000) }));
    record.add('r4', goal('huge', { note: 'x'.repeat(100_000) }));
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const { text, data } = await runTool(record, 'search_fhir', {
        type: 'Goal',
        limit: 10,
        ...(cursor ? { cursor } : {}),
      });
      expect(text.length).toBeLessThan(18_000);
      seen.push(...(data['entries'] as unknown[]));
      cursor = data['next_cursor'];
    } while (cursor !== undefined);
    expect(seen.map((entry) => (entry as { reference: string }).reference)).toHaveLength(26);
    expect(seen.at(-1)).toEqual({ reference: 'r4/Goal/huge', included: false });
  });

  it('continues a search with a long query', async () => {
    for (let n = 0; n < 25; n++) record.add('r4', goal(`g${n}`, { note: 'x'.repeat(4000) }));
    const query = `code=${'http://loinc.org|1-1,'.repeat(100)}`.slice(0, 2000);
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const { data } = await runTool(record, 'search_fhir', { type: 'Goal', query, ...(cursor ? { cursor } : {}) });
      seen.push(...(data['entries'] as { reference: string }[]).map(({ reference }) => reference));
      cursor = data['next_cursor'];
    } while (cursor !== undefined);
    expect([seen.length, new Set(seen).size]).toEqual([25, 25]);
  });

  it.each([
    [{ type: 'Goal', query: 'unknown=1' }, 'unknown: Condition has no search parameter unknown. Correct the arguments'],
    [{ type: 'Goal', query: '_count=5&_format=xml' }, 'Leave _count, _format out of query'],
    [{ type: 'Goal', cursor: 'bm8' }, 'The cursor is not valid'],
  ])('says what is wrong with %j', async (input, message) => {
    await expect(runTool(record, 'search_fhir', input)).rejects.toThrow(message);
  });

  it('asks for R4, for strict handling, with the token and the request id of the caller', async () => {
    await runTool(record, 'search_fhir', { type: 'Goal', release: 'dstu2', query: 'code=a|b' });
    expect(record.seen[0]).toMatchObject({ token: 'Bearer token', accept: 'application/fhir+json; fhirVersion=4.0' });
    expect(record.seen[0]?.requestId).toMatch(/^[\w-]{36}$/);
    expect(record.seen[0]?.userAgent).toBe('tributary-mcp');
  });
});

describe('read_fhir_resource', () => {
  it('reads a resource, and a long one in parts', async () => {
    const reference = record.add('r4', goal('g', { note: 'y'.repeat(40_000) }));
    let json = '';
    let cursor: unknown;
    do {
      const { data } = await runTool(record, 'read_fhir_resource', { reference, ...(cursor ? { cursor } : {}) });
      json += String(data['json']);
      cursor = data['next_cursor'];
    } while (cursor !== undefined);
    expect(JSON.parse(json)).toMatchObject({ id: 'g', note: 'y'.repeat(40_000) });
  });

  it.each([
    'Goal/g',
    'r5/Goal/g',
    'r4/Goal/g/_history/1',
    'r4/Goal/../../connect',
    'r4/goal/g',
    'r4/Goal/%2e%2e',
    'r4/Goal/..',
    'r4/Goal/.',
  ])('refuses %s', async (reference) => {
    await expect(runTool(record, 'read_fhir_resource', { reference })).rejects.toThrow();
    expect(record.seen).toEqual([]);
  });

  it('does not tell the ids of other users from ids that do not exist', async () => {
    await expect(runTool(record, 'read_fhir_resource', { reference: 'r4/Goal/of-another-user' })).rejects.toThrow(
      "This is not, or no longer, in the user's record.",
    );
  });

  it.each([
    [401, 'has to refresh it'],
    [406, 'form "native"'],
    [429, 'Try the same call again in a few seconds'],
    [500, 'The record could not be read (status 500, request id'],
    [503, 'Try the same call again in a few seconds'],
  ])('says what to do after a %d', async (status, message) => {
    record.respond = (response) => response.writeHead(status).end('not JSON');
    await expect(runTool(record, 'read_fhir_resource', { reference: 'r4/Goal/g' })).rejects.toThrow(message);
  });

  it('says what to do when the connection breaks', async () => {
    record.respond = (response) => response.destroy();
    await expect(runTool(record, 'read_fhir_resource', { reference: 'r4/Goal/g' })).rejects.toThrow(
      'The record is not available at the moment. Try the same call again',
    );
  });
});

describe('read_document', () => {
  const document = (attachments: object[]) => ({
    resourceType: 'DocumentReference',
    id: 'd',
    type: loinc('11506-3', 'Progress note'),
    content: attachments.map((attachment) => ({ attachment })),
  });

  it.each([
    ['r4', 'data'],
    ['stu3', 'content'],
    ['dstu2', 'content'],
  ])('reads an attachment that is a Binary of %s', async (release, element) => {
    record.add(release, {
      resourceType: 'Binary',
      id: 'b',
      contentType: 'text/html',
      [element]: base64('<p>Hello</p><p>you</p>'),
    });
    const reference = record.add(release, document([{ contentType: 'text/html', url: 'Binary/b' }]));
    expect((await runTool(record, 'read_document', { reference })).data).toEqual({
      reference,
      media_type: 'text/html',
      length: 10,
      text: 'Hello\n\nyou',
      notes: [],
    });
  });

  it('chooses the attachment that is read best, and reads the one that is asked for', async () => {
    const reference = record.add(
      'r4',
      document([
        { contentType: 'text/html', data: base64('<b>as HTML</b>') },
        { contentType: 'text/plain', data: base64('as text') },
      ]),
    );
    const best = await runTool(record, 'read_document', { reference });
    expect([best.data['text'], best.data['notes']]).toEqual([
      'as text',
      ['This is attachment 2 of 2 (text/html, text/plain).'],
    ]);
    expect((await runTool(record, 'read_document', { reference, attachment: 1 })).data['text']).toBe('as HTML');
    await expect(runTool(record, 'read_document', { reference, attachment: 3 })).rejects.toThrow(
      'There is no attachment 3: it has 2.',
    );
  });

  it('returns a long text in parts', async () => {
    const whole = Array.from({ length: 5000 }, (_, n) => `line ${n}`).join('\n');
    const reference = record.add('r4', document([{ contentType: 'text/plain', data: base64(whole) }]));
    let text = '';
    let cursor: unknown;
    do {
      const { data } = await runTool(record, 'read_document', { reference, ...(cursor ? { cursor } : {}) });
      text += String(data['text']);
      cursor = data['next_cursor'];
    } while (cursor !== undefined);
    expect(text).toBe(whole);
  });

  it('reads the conclusion of a report without attachments', async () => {
    const reference = record.add('r4', { resourceType: 'DiagnosticReport', id: 'r', conclusion: 'No fracture.' });
    expect((await runTool(record, 'read_document', { reference })).data['text']).toBe('No fracture.');
  });

  it.each([
    [
      'content that was not collected',
      [{ contentType: 'text/plain', url: 'https://other.example.org/doc' }],
      'was not collected',
    ],
    ['a path instead of an id', [{ contentType: 'text/plain', url: 'Binary/../Patient' }], 'was not collected'],
    ['an id that is a path', [{ contentType: 'text/plain', url: 'Binary/..' }], 'was not collected'],
    ['no attachment', [], 'Nothing is attached'],
  ])('refuses %s', async (_what, attachments, message) => {
    const reference = record.add('r4', document(attachments));
    await expect(runTool(record, 'read_document', { reference })).rejects.toThrow(message);
  });
});

describe('get_patient_summary', () => {
  it('has the patient and the first entries of each section', async () => {
    record.add('r4', {
      resourceType: 'Patient',
      id: 'p',
      name: [{ use: 'official', given: ['Amelia', 'Jane'], family: 'Hart' }],
      birthDate: '1957-03-14',
      gender: 'female',
      identifier: [{ system: 'urn:mrn', value: '1' }],
      address: [{ line: ['170 Cedar Street'] }],
    });
    record.add('dstu2', {
      resourceType: 'Patient',
      id: 'q',
      name: [{ text: 'Amelia Grey' }],
      identifier: [{ system: 'urn:mrn', value: '1' }],
    });
    for (let n = 0; n < 30; n++)
      record.add('r4', {
        resourceType: 'Condition',
        id: `c${n}`,
        code: { text: `Problem ${n}` },
        clinicalStatus: { coding: [{ code: n < 25 ? 'active' : 'resolved' }] },
      });
    const { text, data } = await runTool(record, 'get_patient_summary');
    expect(text).toMatch(/^Patient: Amelia Jane Hart, born 1957-03-14, female \[r4\/Patient\/p\]\n/);
    expect(text).toContain('Current problems (20 of 25; list_problems has the rest)');
    expect(text).toContain('Current allergies (0)');
    expect(text).not.toContain('Cedar');
    expect(text).toContain(
      'Note: The record has 2 Patient resources, of which 1 have another name or birth date: dstu2/Patient/q.',
    );
    expect((data['sections'] as { title: string }[]).map(({ title }) => title)).toEqual([
      'Current problems',
      'Current medications',
      'Current allergies',
      'Latest laboratory results',
      'Latest vital signs',
      'Latest immunizations',
      'Latest procedures',
      'Latest encounters',
      'Latest documents',
    ]);
  });

  it('says what limits each of its parts', async () => {
    const patient = { resourceType: 'Patient', name: [{ text: 'A' }] };
    for (let n = 0; n < 25; n++) record.add('r4', { ...patient, id: `p${n}` });
    for (let n = 0; n < 350; n++)
      record.add('r4', {
        resourceType: 'Observation',
        id: `o${n}`,
        category: [{ coding: [{ code: 'laboratory' }] }],
        code: loinc('718-7', 'Hemoglobin'),
        effectiveDateTime: new Date(Date.UTC(2020, 0, 1) - n * 86_400_000).toISOString().slice(0, 10),
      });
    record.connections = [
      {
        ...connection,
        complete: false,
        warnings: ['Patient', 'Observation'].map((type) => ({
          code: 'search_refused',
          type,
          message: 'it was refused',
        })),
        outcomes: { complete: 0, partial: 0, refused: 2, not_offered: 0, failed: 0 },
      },
    ];
    const { data } = await runTool(record, 'get_patient_summary');
    expect(data['notes']).toEqual([
      'General Hospital (r4) is incomplete for Patient: it was refused',
      'General Hospital (r4) is incomplete for Observation: it was refused',
      'Only 20 resources of r4/Patient were read; more exist.',
      expect.stringMatching(/^Latest laboratory results: Only results from 2019-\d\d-\d\d on were read/),
    ]);
  });

  it('of an empty record says that there is nothing, and why', async () => {
    const { text } = await runTool(record, 'get_patient_summary');
    expect(text).toMatch(/^The record has no Patient\./);
    expect(text).toContain('No health system is connected.');
  });
});

it('list_connections says that nothing is connected', async () => {
  expect((await runTool(record, 'list_connections')).text).toMatch(/^No health system is connected:/);
});
