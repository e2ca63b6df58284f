import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Json, bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type User, admin, collected, connect, newClient, newUser } from '../suite/users';

const ready = readySuite();
/** Two people of the sandbox, generated with a record in R4. */
const [parent, child] = ['person-101', 'person-102'];
const inR4 = { fhirVersion: 'r4' };

const read = async (user: User, path: string): Promise<Json> => {
  const { status, json, text } = await http('GET', `${ready.base_url}/r4/${path}`, {
    headers: bearer(user.access_token),
  });
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text.slice(0, 300)}`);
  return json;
};
const resourcesOf = (bundle: Json): Json[] =>
  bundle.list('entry').map((entry) => new Json(new Json(entry).at('resource')));
const subjectsOf = (resources: readonly Json[]): string[] => [
  ...new Set(resources.map((resource) => resource.text('subject', 'reference'))),
];

it('a second person is refused until the user has confirmed', async () => {
  const user = await newUser(ready, await newClient(ready, 'one person'));
  await connect(ready, user, parent!, inR4);
  await collected(ready, user);
  const refused = await connect(ready, user, child!, inR4);
  expect([refused.searchParams.get('success'), refused.searchParams.get('error')]).toEqual(['false', 'other_person']);
  expect((await read(user, 'Patient')).at('total')).toBe(1);
  const confirmed = await connect(ready, user, child!, { ...inR4, confirm_person: 'true' });
  expect([confirmed.searchParams.get('success'), confirmed.searchParams.get('other_person')]).toEqual(['true', 'true']);
  const entries = await collected(ready, user);
  expect(entries.map((entry) => [entry.at('other_person'), entry.text('patient', 'birth_date')])).toEqual([
    [false, expect.stringMatching(/^\d{4}-\d\d-\d\d$/)],
    [true, expect.stringMatching(/^\d{4}-\d\d-\d\d$/)],
  ]);
});

describe('a record of a family', () => {
  let user: User;
  let ids: string[];
  let names: string[];
  beforeAll(async () => {
    const client = await newClient(ready, 'a family');
    await admin('client', 'set', client.client_id, '--people', 'several');
    user = await newUser(ready, client);
    for (const username of [parent!, child!])
      expect((await connect(ready, user, username, inR4)).searchParams.get('success')).toBe('true');
    names = (await collected(ready, user)).map((entry) => entry.text('patient', 'name'));
    const patients = resourcesOf(await read(user, 'Patient'));
    ids = names.map((name) => {
      const patient = patients.find((each) => name.includes(each.text('name', 0, 'given', 0)));
      return patient!.text('id');
    });
    expect(new Set(ids).size).toBe(2);
  });

  it('is searched for one of them by patient=', async () => {
    const all = await read(user, 'Observation?_count=500');
    expect(subjectsOf(resourcesOf(all))).toHaveLength(2);
    const counts = await Promise.all(
      ids.map(async (id) => {
        const own = await read(user, `Observation?patient=${id}&_count=500`);
        expect(subjectsOf(resourcesOf(own))).toEqual([`Patient/${id}`]);
        const latest = resourcesOf(await read(user, `Observation/$lastn?patient=${id}`));
        expect(subjectsOf(latest)).toEqual([`Patient/${id}`]);
        const everything = resourcesOf(await read(user, `Patient/${id}/$everything?_type=Observation&_count=500`));
        expect(subjectsOf(everything)).toEqual([`Patient/${id}`]);
        expect(everything).toHaveLength(Math.min(own.number('total'), 500));
        return own.number('total');
      }),
    );
    expect(counts[0]! + counts[1]!).toBe(all.at('total'));
  });

  it('is exported for one of them by patient in the body', async () => {
    const reply = await http('POST', `${ready.analytics_url}/bulk-data/r4/$export`, {
      headers: bearer(user.access_token),
      json: {
        resourceType: 'Parameters',
        parameter: [
          { name: '_type', valueString: 'Observation' },
          { name: 'patient', valueReference: { reference: `Patient/${ids[1]}` } },
        ],
      },
    });
    expect(reply.status).toBe(200);
    const lines: Json[] = [];
    for (const output of reply.json.list('output').map((entry) => new Json(entry))) {
      const file = await http('GET', output.text('url'), { headers: bearer(user.access_token) });
      lines.push(
        ...file.text
          .split('\n')
          .filter(Boolean)
          .map((line) => new Json(JSON.parse(line))),
      );
    }
    expect(subjectsOf(lines)).toEqual([`Patient/${ids[1]}`]);
  });

  it('is told by the tools of MCP for one of them, whom they ask for', async () => {
    const client = new Client({ name: 'journey', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${ready.base_url}/mcp`), {
        requestInit: { headers: bearer(user.access_token) },
      }),
    );
    try {
      const call = async (input: Record<string, unknown>): Promise<[boolean, string]> => {
        const { isError, content } = await client.callTool({ name: 'list_vital_signs', arguments: input });
        return [isError === true, (content as { text: string }[])[0]!.text];
      };
      const [asks, question] = await call({});
      expect([asks, ids.every((id) => question.includes(`r4/Patient/${id}`))]).toEqual([true, true]);
      const [fails, answer] = await call({ patient: `r4/Patient/${ids[1]}` });
      expect([fails, answer]).toEqual([false, expect.stringContaining('The record has several people.')]);
    } finally {
      await client.close();
    }
  });
});
