import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describeDatabase } from '../suite/database';
import { bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { comparable, unknownLike } from './check-route';
import { FhirResources } from './fhir-routes';
import { type Party, type World, newWorld } from './parties';

const ready = readySuite();
const endpoint = `${ready.base_url}/mcp`;

interface ToolCase {
  /** The type of the resource that the tool is called with; absent when it names none. */
  type?: 'Patient' | 'DocumentReference';
  input: (id: string) => Record<string, unknown>;
}

const ofRecord: ToolCase = { input: () => ({}) };
const tools: Readonly<Record<string, ToolCase>> = {
  get_patient_summary: ofRecord,
  list_problems: ofRecord,
  list_medications: ofRecord,
  list_allergies: ofRecord,
  list_lab_results: ofRecord,
  list_vital_signs: ofRecord,
  list_immunizations: ofRecord,
  list_procedures: ofRecord,
  list_encounters: ofRecord,
  list_documents: ofRecord,
  list_connections: ofRecord,
  read_document: { type: 'DocumentReference', input: (id) => ({ reference: `r4/DocumentReference/${id}` }) },
  read_fhir_resource: { type: 'Patient', input: (id) => ({ reference: `r4/Patient/${id}` }) },
  search_fhir: { type: 'Patient', input: (id) => ({ type: 'Patient', query: `_id=${id}` }) },
};

describeDatabase('isolation of the tools for language models', () => {
  let world: World;
  const clients = new Map<Party, Client>();
  const ids = { Patient: '', DocumentReference: '' };
  beforeAll(async () => {
    world = await newWorld(ready, 'isolation of tools');
    const { owner, otherUser, otherClient, mark } = world;
    const resources = new FhirResources(ready, world);
    const patient = await resources.create(owner, 'r4', { resourceType: 'Patient', name: [{ family: mark }] });
    const letter = { contentType: 'text/plain', data: Buffer.from(mark).toString('base64') };
    const document = await resources.create(owner, 'r4', {
      resourceType: 'DocumentReference',
      status: 'current',
      description: mark,
      content: [{ attachment: letter }],
    });
    Object.assign(ids, { Patient: patient['id'], DocumentReference: document['id'] });
    for (const party of [owner, otherUser, otherClient]) {
      const client = new Client({ name: 'journey', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(
        new StreamableHTTPClientTransport(new URL(endpoint), { requestInit: { headers: bearer(party.userToken) } }),
      );
      clients.set(party, client);
    }
  });
  afterAll(async () => {
    for (const client of clients.values()) await client.close();
  });

  /** The whole answer of a tool as text. */
  async function call(party: Party, name: string, id: string): Promise<string> {
    const result = await clients.get(party)?.callTool({ name, arguments: tools[name]?.input(id) ?? {} });
    return JSON.stringify(result).replaceAll(id, '<id>');
  }

  it('covers every tool, and no other', async () => {
    const listed = await clients.get(world.owner)?.listTools();
    expect(listed?.tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(tools).toSorted());
  });

  it.each(Object.entries(tools))('%s', async (name, { type }) => {
    const id = type === undefined ? 'none' : ids[type];
    const own = await call(world.owner, name, id);
    expect(own).not.toContain('"isError":true');
    if (type !== undefined) expect(own).toContain(world.mark);
    for (const party of [world.otherUser, world.otherClient]) {
      const answer = await call(party, name, id);
      expect(answer).not.toContain(world.mark);
      if (type === undefined) continue;
      const unknown = String(unknownLike({ id })['id']);
      expect(answer).toEqual(await call(party, name, unknown));
    }
  });

  it('refuses every credential that is not valid, without a difference', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const headers = { Accept: 'application/json, text/event-stream' };
    const send = (token: string | undefined): ReturnType<typeof http> =>
      http('POST', endpoint, { headers: { ...headers, ...(token === undefined ? {} : bearer(token)) }, json: message });
    expect((await send(world.owner.userToken)).status).toBe(200);
    expect((await send(undefined)).status).toBe(401);
    expect((await send(world.owner.systemToken)).status).toBe(401);
    const tokens = world.refused.flatMap(([, { userToken }]) => (userToken === undefined ? [] : [userToken]));
    const replies = await Promise.all(tokens.map(async (token) => comparable(await send(token), {})));
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1);
    expect(replies[0]?.status).toBe(401);
  });
});
