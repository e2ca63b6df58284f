import type { Client } from '@modelcontextprotocol/client';
import { call, clientOf, closeClients, lists } from '../suite/mcp';
import { type ClientCredentials, type User, collected, connect, newClient, newUser, releaseOf } from '../suite/users';
import { Json, bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';

const ready = readySuite();

/** The argument of a tool that names a patient, where the record has several. */
type Patient = { patient?: string };

/** The patients of a record: those of real records have another date of birth in another release. */
async function patientsOf(client: Client): Promise<Patient[]> {
  const { text, isError } = await call(client, 'get_patient_summary');
  return isError ? [...text.matchAll(/ patient "([^"]+)"/g)].map(([, patient]) => ({ patient: patient! })) : [{}];
}

/** The entries of all pages of a list, for each patient. */
async function everyEntry(
  client: Client,
  patients: readonly Patient[],
  tool: string,
  list: string,
  limit: number,
): Promise<Json[]> {
  const entries: Json[] = [];
  for (const patient of patients) {
    let cursor: unknown;
    do {
      const { data, text, isError } = await call(client, tool, {
        limit,
        ...patient,
        ...(list === 'tests' ? { history: 100 } : {}),
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect([isError, text.length < 20_000]).toEqual([false, true]);
      entries.push(...data.list(list).map((entry) => new Json(entry)));
      cursor = data.at('next_cursor');
    } while (cursor !== undefined);
  }
  return entries;
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

let credentials: ClientCredentials;
beforeAll(async () => {
  credentials = await newClient(ready, 'MCP records journey');
});
afterAll(closeClients);

describe.each(ready.sandbox.patients.map(({ username, releases }) => [username, releases] as const))(
  'the record of %s',
  (username, releases) => {
    let user: User;
    let client: Client;
    let patients: Patient[];
    beforeAll(async () => {
      user = await newUser(ready, credentials);
      await connect(ready, user, username, releaseOf(releases));
      await collected(ready, user);
      client = await clientOf(user);
      patients = await patientsOf(client);
    });

    it('has a summary, and the state of each connection', async () => {
      for (const patient of patients) {
        const summary = await call(client, 'get_patient_summary', patient);
        expect([summary.isError && summary.text, summary.text.length < 40_000]).toEqual([false, true]);
      }
      const connections = await call(client, 'list_connections');
      expect(connections.data.list('connections').map((each) => new Json(each).text('release'))).toEqual(
        expect.arrayContaining([...releases]),
      );
    });

    it.each(lists)('%s returns every entry once, with references that can be read', async (tool, list) => {
      const entries = await everyEntry(client, patients, tool, list, 7);
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
      const shown = await everyEntry(client, patients, 'list_problems', 'entries', 100);
      const references = shown.flatMap((entry) => [entry.text('reference'), ...entry.list('also_in').map(String)]);
      for (const release of releases) {
        const ofRelease = references.filter((reference) => reference.startsWith(`${release}/`));
        expect(ofRelease.length).toBeLessThanOrEqual(await count(`${release}/Condition`));
        let total = 0;
        for (const patient of patients) {
          const { data } = await call(client, 'search_fhir', { release, type: 'Condition', limit: 50, ...patient });
          total += data.number('total');
        }
        expect(total).toBe(await count(`${release}/Condition`));
      }
    });

    it('has documents that are read as text, or says why not', async () => {
      const documents = await everyEntry(client, patients, 'list_documents', 'entries', 50);
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
