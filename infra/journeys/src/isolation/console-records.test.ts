import { DeveloperSession } from '../suite/developers';
import { bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type ClientCredentials, admin, newUser } from '../suite/users';

const ready = readySuite();

/** A developer with an organisation, a test client and a user, whose record has the mark. */
interface Owner {
  developer: DeveloperSession;
  organisation: string;
  client: ClientCredentials;
  user: number;
  token: string;
}

async function newOwner(mark: string): Promise<Owner> {
  const developer = await DeveloperSession.signUp(ready);
  const organisation = (await developer.call('POST', 'organisations', { name: mark })).json.text('id');
  const created = await newClientOf(developer, organisation, 'test');
  const user = await newUser(ready, created);
  const stored = await http('POST', `${ready.base_url}/r4/Patient`, {
    headers: bearer(user.access_token),
    json: { resourceType: 'Patient', name: [{ text: mark }] },
  });
  expect(stored.status).toBe(201);
  return { developer, organisation, client: created, user: user.service_user_id, token: user.access_token };
}

async function newClientOf(
  developer: DeveloperSession,
  organisation: string,
  mode: 'test' | 'live',
): Promise<ClientCredentials> {
  const { json } = await developer.call('POST', `organisations/${organisation}/clients`, {
    mode,
    name: 'Better Sleep',
    redirect_uris: [ready.client.redirect_uri],
  });
  return { client_id: json.text('client_id'), client_secret: json.text('client_secret') };
}

describe('a developer who reads records of users', () => {
  let owner: Owner;
  let other: Owner;
  const path = ({ client_id }: ClientCredentials, user: number, request = 'r4/Patient'): string =>
    `clients/${client_id}/users/${user}/${request}`;
  beforeAll(async () => {
    [owner, other] = [await newOwner('mark-of-owner'), await newOwner('mark-of-other')];
  });

  it('reads those of the own test clients', async () => {
    const { status, text } = await owner.developer.call('GET', path(owner.client, owner.user));
    expect([status, text.includes('mark-of-owner'), text.includes('mark-of-other')]).toEqual([200, true, false]);
    const counts = await owner.developer.call('GET', path(owner.client, owner.user, 'r4/$counts'));
    expect([counts.status, counts.json.at('parameter', 0, 'part', 0, 'valueCode')]).toEqual([200, 'Patient']);
  });

  it('reads none of other clients, whichever client is named', async () => {
    for (const [client, user] of [
      [other.client, other.user],
      [other.client, owner.user],
      [owner.client, other.user],
      [ready.client, other.user],
    ] as const) {
      const { status, text } = await owner.developer.call('GET', path(client, user));
      expect([status, text.includes('mark-of')]).toEqual([404, false]);
    }
  });

  it('reads none as a read_only member, or without a session', async () => {
    const member = await DeveloperSession.signUp(ready);
    await owner.developer.invite(owner.organisation, member, 'read_only');
    for (const [session, expected] of [
      [member, 403],
      [new DeveloperSession(ready), 401],
    ] as const)
      expect((await session.call('GET', path(owner.client, owner.user))).status).toBe(expected);
  });

  it('counts those of live clients, and reads nothing in them', async () => {
    await admin('organisation', 'allow-live', owner.organisation);
    const live = await newClientOf(owner.developer, owner.organisation, 'live');
    const { service_user_id: user } = await newUser(ready, live);
    expect((await owner.developer.call('GET', path(live, user, 'r4/$counts'))).status).toBe(200);
    for (const request of ['r4/Patient', 'r4/_history', 'r4/Patient/$everything', 'r4/$meta'])
      expect([request, (await owner.developer.call('GET', path(live, user, request))).status]).toEqual([request, 404]);
  });

  it('is named in the audit log of the user', async () => {
    const account = (await owner.developer.call('GET', 'account')).json.text('id');
    const exported = await admin('audit', 'export', '--client', owner.client.client_id);
    const kinds = exported
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { kind: string; subject?: number; agent: { developer?: string } })
      .filter(({ subject, agent }) => subject === owner.user && agent.developer === account)
      .map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['code.issued', 'token.issued', 'fhir.search', 'fhir.operation']));
  });
});
