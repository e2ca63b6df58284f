import { resources } from '../records/comparable';
import { Json, type Reply, bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type User, collected, connect, exportAll, newClient, newUser } from '../suite/users';

const ready = readySuite();
const patient = ready.sandbox.patients.find(({ releases }) => releases.length === 3)!;
const r4 = 'application/fhir+ndjson;fhirVersion=4.0';
const types = ['Patient', 'Encounter'];

/** The ids of the matches of a search, without the outcome that lists what cannot be converted. */
function matches({ json }: Reply): string[] {
  const entries = json.list('entry').map((entry) => new Json(entry));
  return entries.flatMap((entry) => (entry.at('search', 'mode') === 'match' ? [entry.text('resource', 'id')] : []));
}

describe('a health system that offers its record in three releases', () => {
  let user: User;
  /** An encounter that belongs to no health system. */
  let ofClient: string;
  beforeAll(async () => {
    user = await newUser(ready, await newClient(ready, 'release per source journey'));
    await connect(ready, user, patient.username);
    const connections = await collected(ready, user);
    expect(connections.map((entry) => entry.at('fhirVersion')).sort()).toEqual(['dstu2', 'r4', 'stu3']);
    const created = await http('POST', `${ready.base_url}/dstu2/Encounter`, {
      headers: bearer(user.access_token),
      json: { resourceType: 'Encounter', status: 'planned' },
    });
    ofClient = created.json.text('id');
  });

  /** The ids of a type in R4 form, over the three bases. */
  async function search(type: string, query: string): Promise<string[]> {
    const ids: string[] = [];
    for (const release of ['dstu2', 'stu3', 'r4']) {
      const reply = await http('GET', `${ready.base_url}/${release}/${type}?_count=1000${query}`, {
        headers: { ...bearer(user.access_token), Accept: 'application/fhir+json; fhirVersion=4.0' },
      });
      expect([release, reply.status]).toEqual([release, 200]);
      ids.push(...matches(reply));
    }
    return ids.sort();
  }

  async function exported(query: string): Promise<Map<string, string[]>> {
    const parameters = `?_type=${types.join(',')}&_outputFormat=${encodeURIComponent(r4)}${query}`;
    const { lines } = await exportAll(ready, bearer(user.access_token), parameters);
    const ofType = (type: string): string[] =>
      resources(lines).flatMap(({ resourceType, id }) => (resourceType === type ? [String(id)] : []));
    return new Map(types.map((type) => [type, ofType(type).sort()]));
  }

  it('is in the R4 view three times, and once with _releasePerSource=newest', async () => {
    const all = await search('Patient', '');
    const newest = await search('Patient', '&_releasePerSource=newest');
    expect([all.length, newest.length]).toEqual([3, 1]);
    const native = await http('GET', `${ready.base_url}/r4/Patient`, { headers: bearer(user.access_token) });
    expect(newest).toEqual([native.json.text('entry', 0, 'resource', 'id')]);
  });

  it('is in an R4 export three times, and once with _releasePerSource=newest, as in the R4 view', async () => {
    const [all, newest] = [await exported(''), await exported('&_releasePerSource=newest')];
    for (const type of types) {
      expect([type, newest.get(type)]).toEqual([type, await search(type, '&_releasePerSource=newest')]);
      expect([type, all.get(type)]).toEqual([type, await search(type, '')]);
    }
    expect([all.get('Patient'), newest.get('Patient')].map((ids) => ids?.length)).toEqual([3, 1]);
    const native = await http('GET', `${ready.base_url}/r4/Encounter?_count=1000`, {
      headers: bearer(user.access_token),
    });
    const ofSource = matches(native);
    expect(newest.get('Encounter')).toEqual([...ofSource, ofClient].sort());
    expect(all.get('Encounter')!.length).toBeGreaterThan(newest.get('Encounter')!.length);
  });

  it('cannot be chosen without the conversion to R4', async () => {
    const refused = await http('GET', `${ready.analytics_url}/bulk-data/r4/$export?_releasePerSource=newest`, {
      headers: bearer(user.access_token),
    });
    expect([refused.status, refused.json.at('issue', 0, 'diagnostics')]).toEqual([
      400,
      expect.stringContaining('_releasePerSource'),
    ]);
  });
});
