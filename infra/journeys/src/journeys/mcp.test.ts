import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type ClientCredentials, type User, collected, connect, newClient, newUser, releaseOf } from '../suite/users';
import { Json, bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';

const ready = readySuite();
const endpoint = `${ready.base_url}/mcp`;
const open: Client[] = [];

interface Answer {
  text: string;
  data: Json;
  isError: boolean;
}

/** A client of the SDK, as an application uses it. It validates each answer by the schema of the tool. */
async function clientOf(user: User): Promise<Client> {
  const client = new Client({ name: 'journey', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  open.push(client);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(endpoint), { requestInit: { headers: bearer(user.access_token) } }),
  );
  await client.listTools();
  return client;
}

async function call(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Answer> {
  const result = await client.callTool({ name, arguments: input });
  const [content] = result.content as { text: string }[];
  return { text: content?.text ?? '', data: new Json(result.structuredContent), isError: result.isError === true };
}

/** The entries of all pages of a list. */
async function everyEntry(client: Client, tool: string, list: string, limit: number): Promise<Json[]> {
  const entries: Json[] = [];
  let cursor: unknown;
  do {
    const { data, text, isError } = await call(client, tool, {
      limit,
      ...(list === 'tests' ? { history: 100 } : {}),
      ...(cursor === undefined ? {} : { cursor }),
    });
    expect([isError, text.length < 20_000]).toEqual([false, true]);
    entries.push(...data.list(list).map((entry) => new Json(entry)));
    cursor = data.at('next_cursor');
  } while (cursor !== undefined);
  return entries;
}

/** Stores resources in the record by one batch. */
async function store(user: User, release: string, resources: object[]): Promise<void> {
  const entry = resources.map((resource) => ({
    resource,
    request: { method: 'POST', url: (resource as { resourceType: string }).resourceType },
  }));
  const reply = await http('POST', `${ready.base_url}/${release}`, {
    headers: bearer(user.access_token),
    json: { resourceType: 'Bundle', type: 'batch', entry },
  });
  const failed = reply.json
    .list('entry')
    .filter((each) => !new Json(each).text('response', 'status').startsWith('201'));
  expect([reply.status, failed.slice(0, 1)]).toEqual([200, []]);
}

/** What a list shows of FHIR search: the types of each release, and the parameters of the search. */
const searched: Readonly<Record<string, { types: readonly string[]; query?: string }>> = {
  list_problems: { types: ['Condition'] },
  list_medications: { types: ['MedicationRequest', 'MedicationOrder', 'MedicationStatement'] },
  list_allergies: { types: ['AllergyIntolerance'] },
  list_immunizations: { types: ['Immunization'] },
  list_procedures: { types: ['Procedure'] },
  list_encounters: { types: ['Encounter'] },
  list_documents: { types: ['DocumentReference', 'DiagnosticReport'] },
  list_lab_results: { types: ['Observation'], query: 'category=laboratory' },
  list_vital_signs: { types: ['Observation'], query: 'category=vital-signs' },
};

/** The references of what FHIR search finds as R4, without what was entered in error and reports without a text. */
async function expectedReferences(user: User, tool: string, releases: readonly string[]): Promise<string[]> {
  const { types, query = '' } = searched[tool] ?? { types: [] };
  const references: string[] = [];
  for (const release of releases)
    for (const type of types) {
      if (type === (release === 'dstu2' ? 'MedicationRequest' : 'MedicationOrder')) continue;
      let url: string | undefined = `${ready.base_url}/${release}/${type}?_count=500&${query}`;
      while (url !== undefined) {
        const { status, json } = await http('GET', url, {
          headers: { ...bearer(user.access_token), Accept: 'application/fhir+json; fhirVersion=4.0' },
        });
        expect(status).toBe(200);
        for (const entry of json.list('entry').map((each) => new Json(each))) {
          const resource = new Json(entry.at('resource'));
          if (entry.at('search', 'mode') === 'match' && isShown(resource))
            references.push(`${release}/${resource.text('resourceType')}/${resource.text('id')}`);
        }
        const next = json.list('link').find((link) => new Json(link).at('relation') === 'next');
        url = next === undefined ? undefined : new Json(next).text('url');
      }
    }
  return references;
}

function isShown(resource: Json): boolean {
  const statuses = JSON.stringify([resource.at('status'), resource.at('verificationStatus')]);
  if (/"(entered-in-error|cancelled)"/.test(statuses) && resource.at('resourceType') === 'Observation') return false;
  if (statuses.includes('"entered-in-error"')) return false;
  return (
    resource.at('resourceType') !== 'DiagnosticReport' ||
    resource.at('conclusion') !== undefined ||
    resource.list('presentedForm').length > 0
  );
}

/** How many references each list has shown, over all patients. */
const shownByTool = new Map<string, number>();

const lists = [
  ['list_problems', 'entries', 'Condition'],
  ['list_medications', 'entries', 'MedicationRequest'],
  ['list_allergies', 'entries', 'AllergyIntolerance'],
  ['list_immunizations', 'entries', 'Immunization'],
  ['list_procedures', 'entries', 'Procedure'],
  ['list_encounters', 'entries', 'Encounter'],
  ['list_documents', 'entries', 'DocumentReference'],
  ['list_lab_results', 'tests', 'Observation'],
  ['list_vital_signs', 'tests', 'Observation'],
] as const;

let credentials: ClientCredentials;
beforeAll(async () => {
  credentials = await newClient(ready, 'MCP journey');
});
afterAll(() => Promise.all(open.map((client) => client.close())));

describe.each(ready.sandbox.patients.map(({ username, releases }) => [username, releases] as const))(
  'the record of %s',
  (username, releases) => {
    let user: User;
    let client: Client;
    beforeAll(async () => {
      user = await newUser(ready, credentials);
      await connect(ready, user, username, releaseOf(releases));
      await collected(ready, user);
      client = await clientOf(user);
    });

    it('has a summary, and the state of each connection', async () => {
      const summary = await call(client, 'get_patient_summary');
      expect([summary.isError && summary.text, summary.text.length < 40_000]).toEqual([false, true]);
      const connections = await call(client, 'list_connections');
      expect(connections.data.list('connections').map((each) => new Json(each).text('release'))).toEqual(
        expect.arrayContaining([...releases]),
      );
    });

    it.each(lists)('%s returns every entry once, with references that can be read', async (tool, list) => {
      const entries = await everyEntry(client, tool, list, 7);
      const referenced = entries.flatMap((entry) => [entry, ...entry.list('results').map((each) => new Json(each))]);
      const references = referenced
        .flatMap((entry) => [entry.at('reference'), ...entry.list('also_in')])
        .filter((each) => typeof each === 'string');
      expect(new Set(references).size).toBe(references.length);
      const expected = await expectedReferences(user, tool, releases);
      shownByTool.set(tool, (shownByTool.get(tool) ?? 0) + references.length);
      // Observations without a category are in one of the lists by their code.
      if (list === 'tests') expect(references).toEqual(expect.arrayContaining(expected));
      else expect(references.toSorted()).toEqual(expected.toSorted());
      for (const reference of [references[0], references.at(-1)])
        if (reference !== undefined)
          expect(await call(client, 'read_fhir_resource', { reference })).toMatchObject({ isError: false });
    });

    it('has no entry that FHIR search does not find, in each release', async () => {
      const count = async (path: string): Promise<number> =>
        (
          await http('GET', `${ready.base_url}/${path}?_summary=count`, { headers: bearer(user.access_token) })
        ).json.number('total');
      const shown = await everyEntry(client, 'list_problems', 'entries', 100);
      const references = shown.flatMap((entry) => [entry.text('reference'), ...entry.list('also_in').map(String)]);
      for (const release of releases) {
        const ofRelease = references.filter((reference) => reference.startsWith(`${release}/`));
        expect(ofRelease.length).toBeLessThanOrEqual(await count(`${release}/Condition`));
        const { data } = await call(client, 'search_fhir', { release, type: 'Condition', limit: 50 });
        expect(data.at('total')).toBe(await count(`${release}/Condition`));
      }
    });

    it('has documents that are read as text, or says why not', async () => {
      const documents = await everyEntry(client, 'list_documents', 'entries', 50);
      for (const document of documents.slice(0, 5)) {
        const { text, isError } = await call(client, 'read_document', { reference: document.text('reference') });
        if (isError) expect(text).toMatch(/cannot be read|was not collected|no text/);
        else expect(text.length).toBeGreaterThan(0);
      }
    });
  },
);

// Where the real records are not there, the sandbox has one small record.
const ofSmallRecord: readonly string[] = [
  'list_problems',
  'list_procedures',
  'list_encounters',
  'list_lab_results',
  'list_vital_signs',
];
const hasRealRecords = ready.sandbox.patients.length > 1;

it.each(lists.filter(([tool]) => hasRealRecords || ofSmallRecord.includes(tool)))('%s shows entries', (tool) => {
  expect(shownByTool.get(tool)).toBeGreaterThan(0);
});

describe('a record that the application has written', () => {
  let user: User;
  let client: Client;
  beforeAll(async () => {
    user = await newUser(ready, credentials);
    client = await clientOf(user);
  });

  it('is empty at first, and every tool says so', async () => {
    const summary = await call(client, 'get_patient_summary');
    expect(summary.text).toContain('The record has no Patient.');
    for (const [tool] of lists) {
      const { text, isError, data } = await call(client, tool);
      expect([isError, data.at('total')]).toEqual([false, 0]);
      expect(text).toContain('No health system is connected.');
    }
  });

  it.each(['dstu2', 'stu3', 'r4'])('shows what is in %s', async (release) => {
    const own = await newUser(ready, credentials);
    const reader = await clientOf(own);
    const patient = { reference: 'Patient/1' };
    const code = {
      coding: [{ system: 'http://snomed.info/sct', code: '195967001', display: 'Asthma' }],
      text: 'Asthma',
    };
    const status =
      release === 'r4'
        ? { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }] }
        : 'active';
    await store(own, release, [
      release === 'dstu2'
        ? { resourceType: 'Condition', patient, code, clinicalStatus: status, verificationStatus: 'confirmed' }
        : { resourceType: 'Condition', subject: patient, code, clinicalStatus: status },
      release === 'dstu2'
        ? {
            resourceType: 'MedicationOrder',
            patient,
            status: 'active',
            medicationCodeableConcept: { text: 'Salbutamol' },
          }
        : {
            resourceType: 'MedicationRequest',
            subject: patient,
            status: 'active',
            intent: 'order',
            medicationCodeableConcept: { text: 'Salbutamol' },
          },
      {
        resourceType: 'Observation',
        status: 'final',
        category: release === 'dstu2' ? { text: 'Laboratory' } : [{ text: 'Laboratory' }],
        code: { coding: [{ system: 'http://loinc.org', code: '718-7' }], text: 'Hemoglobin' },
        subject: patient,
        effectiveDateTime: '2024-03-01',
        valueQuantity: { value: 13.5, unit: 'g/dL' },
      },
    ]);
    expect((await call(reader, 'list_problems', { current_only: true })).text).toContain(
      '- Asthma (SNOMED CT 195967001); status: active',
    );
    expect((await call(reader, 'list_medications')).text).toContain('- Salbutamol; kind: prescription; status: active');
    expect((await call(reader, 'list_lab_results', { test: '718-7' })).text).toContain('2024-03-01: 13.5 g/dL');
    expect((await call(reader, 'list_lab_results', { test: 'hemoglobin' })).data.at('total')).toBe(1);
  });

  it('is not shown to another user, who gets the same answer as for an id that does not exist', async () => {
    await store(user, 'r4', [{ resourceType: 'Basic', code: { text: 'private' } }]);
    const [entry] = (await call(client, 'search_fhir', { type: 'Basic' })).data.list('entries');
    const reference = new Json(entry).text('reference');
    expect((await call(client, 'read_fhir_resource', { reference })).isError).toBe(false);
    const other = await clientOf(await newUser(ready, credentials));
    const foreign = await call(other, 'read_fhir_resource', { reference });
    const absent = await call(other, 'read_fhir_resource', {
      reference: 'r4/Basic/6f0bb3b5-58cf-4d0a-bf6b-3b4e1a6a7f11',
    });
    expect([foreign.isError, foreign.text]).toEqual([true, absent.text]);
  });

  it('with more Observations than one answer reads gives short answers, and says what was read', async () => {
    const own = await newUser(ready, credentials);
    const day = (n: number): string => new Date(Date.UTC(1996, 0, 1) + n * 86_400_000).toISOString().slice(0, 10);
    const observations = Array.from({ length: 2200 }, (_, n) => ({
      resourceType: 'Observation',
      status: 'final',
      category: [
        { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'laboratory' }] },
      ],
      code: {
        coding: [{ system: 'http://loinc.org', code: n % 2 ? '2339-0' : '718-7' }],
        text: n % 2 ? 'Glucose' : 'Hemoglobin',
      },
      subject: { reference: 'Patient/1' },
      effectiveDateTime: day(n),
      valueQuantity: { value: n, unit: 'mg/dL' },
    }));
    await store(own, 'r4', observations);
    const reader = await clientOf(own);
    const { text, data } = await call(reader, 'list_lab_results', { history: 3 });
    expect(text.length).toBeLessThan(5000);
    expect(data.list('tests').map((each) => new Json(each).at('count'))).toEqual([1000, 1000]);
    expect(data.list('notes')).toContainEqual(expect.stringContaining(`Only results from ${day(200)} on were read`));
    const old = await call(reader, 'list_lab_results', { test: '718-7', until: day(3), history: 10 });
    expect(new Json(old.data.list('tests')[0]).list('results').map((each) => new Json(each).at('value'))).toEqual([
      '2 mg/dL',
      '0 mg/dL',
    ]);
    expect((await call(reader, 'get_patient_summary')).text).toContain('Glucose (LOINC 2339-0): 2199 mg/dL');
  });
});

describe('a client without a valid token', () => {
  it('finds from the challenge where tokens come from', async () => {
    const refused = await http('POST', endpoint, { json: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    expect(refused.status).toBe(401);
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    const metadata = await http('GET', address);
    expect(metadata.json.at('resource')).toBe(endpoint);
    const server = await http(
      'GET',
      `${String(metadata.json.list('authorization_servers')[0])}/.well-known/oauth-authorization-server`,
    );
    expect(server.json.text('token_endpoint')).toMatch(/\/oauth2\/token$/);
  });

  it('is refused after the token was revoked', async () => {
    const user = await newUser(ready, credentials);
    const client = await clientOf(user);
    expect((await call(client, 'list_connections')).isError).toBe(false);
    const { client_id, client_secret, access_token: token } = user;
    await http('POST', `${ready.auth_url}/oauth2/revoke`, { form: { client_id, client_secret, token } });
    // The revocation reaches the service through Redis.
    let status = 200;
    while (status === 200) {
      const reply = await http('POST', endpoint, {
        headers: { ...bearer(token), Accept: 'application/json, text/event-stream' },
        json: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      });
      status = reply.status;
    }
    expect(status).toBe(401);
    await expect(call(client, 'list_connections')).rejects.toThrow();
  });

  it('gets errors of JSON-RPC for what is not a request of the protocol', async () => {
    const user = await newUser(ready, credentials);
    const headers = {
      ...bearer(user.access_token),
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
    };
    for (const body of ['{"jsonrpc":', '[]', '{"jsonrpc":"2.0","id":1}', '{}']) {
      const reply = await http('POST', endpoint, { headers, body });
      expect([body, reply.status, reply.json.at('jsonrpc')]).toEqual([body, 400, '2.0']);
    }
  });
});
