import { describeDatabase, withDatabase } from '../suite/database';
import { Json, type Reply, bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';
import { type User, admin, collected, connect, newClient, newUser } from '../suite/users';

const ready = readySuite();
const username = 'small-Ida-Kowalczyk';

const own = (user: User, path = '', method: 'GET' | 'POST' | 'DELETE' = 'GET'): Promise<Reply> =>
  http(method, `${ready.base_url}/connect/v1/connections${path}`, { headers: bearer(user.access_token) });

/** The scopes of the authorization requests that a visit has sent, without those for sign-in and launch. */
const requestedScopes = (visited: URL[]): string[] =>
  visited
    .flatMap((url) => url.searchParams.get('scope')?.split(' ') ?? [])
    .filter((scope) => scope.startsWith('patient/'));

const countOf = async (user: User, type: string): Promise<number> =>
  (
    await http('GET', `${ready.base_url}/r4/${type}?_summary=count`, { headers: bearer(user.access_token) })
  ).json.number('total');

describe('the consent of a user', () => {
  it('covers what the client asks for: nothing else is requested, collected or stored', async () => {
    const client = await newClient(ready, 'consent journey');
    const set = await admin(
      'client',
      'set',
      client.client_id,
      '--types',
      'Condition,Patient',
      '--consent-days',
      '30',
      '--json',
    );
    expect(JSON.parse(set)).toMatchObject({ requested_types: ['Condition', 'Patient'], consent_days: 30 });
    const user = await newUser(ready, client);
    const visited: URL[] = [];
    await connect(ready, user, username, { fhirVersion: 'r4' }, visited);
    expect(requestedScopes(visited).map((scope) => scope.replace(/\..*/, ''))).toEqual([
      'patient/Condition',
      'patient/Patient',
    ]);
    const [connection] = await collected(ready, user);
    expect([connection?.at('status'), connection?.at('complete')]).toEqual(['active', true]);
    expect(connection?.at('consent')).toMatchObject({
      client_id: client.client_id,
      types: ['Condition', 'Patient'],
      scopes_requested: expect.arrayContaining(requestedScopes(visited)),
    });

    expect([await countOf(user, 'Patient'), await countOf(user, 'Observation')]).toEqual([1, 0]);
    expect(await countOf(user, 'Condition')).toBeGreaterThan(0);
    const detail = await own(user, `/${connection?.text('connection_id')}`);
    const results = detail.json.list('results').map((result) => new Json(result));
    expect(results.find((result) => result.at('type') === 'Observation')?.at('warnings', 0)).toMatchObject({
      code: 'not_requested',
    });

    const receipt = await own(user, `/${connection?.text('connection_id')}/consent`);
    expect(receipt.json.value).toMatchObject({
      success: true,
      client: { client_id: client.client_id, name: 'consent journey', mode: 'test' },
      health_system: { id: ready.sandbox.health_system_id },
      fhirVersion: 'r4',
      earlier: [],
    });
    const days = (Date.parse(receipt.json.text('expires_at')) - Date.parse(receipt.json.text('given_at'))) / 86_400_000;
    expect(days).toBe(30);
  });

  it('is replaced when the user connects again, and ends when the user disconnects', async () => {
    const user = await newUser(ready, await newClient(ready, 'consent journey, twice'));
    await connect(ready, user, username, { fhirVersion: 'r4', scope_types: 'Condition' });
    await collected(ready, user);
    expect(await countOf(user, 'Observation')).toBe(0);
    await connect(ready, user, username, { fhirVersion: 'r4' });
    const [connection] = await collected(ready, user);
    expect(await countOf(user, 'Observation')).toBeGreaterThan(0);
    const path = `/${connection?.text('connection_id')}`;
    await own(user, path, 'DELETE');
    expect((await own(user, `${path}/consent`)).json.value).toMatchObject({
      types: null,
      expires_at: null,
      ended_by: 'user',
      earlier: [{ types: ['Condition', 'Patient'], ended_by: 'replaced' }],
    });
  });
});

describeDatabase('a consent whose time runs out', () => {
  it('revokes the connection, keeps what was collected, and lets the user connect again', async () => {
    const client = await newClient(ready, 'consent journey, expiry');
    await admin('client', 'set', client.client_id, '--consent-days', '1');
    const user = await newUser(ready, client);
    await connect(ready, user, username, { fhirVersion: 'r4' });
    const [before] = await collected(ready, user);
    const connectionId = before?.text('connection_id') ?? '';
    const conditions = await countOf(user, 'Condition');
    await withDatabase(ready, (database) =>
      database.query(
        `UPDATE user_management.consent_receipt SET given_at = given_at - interval '2 days',
           expires_at = expires_at - interval '2 days' WHERE connection_id = $1`,
        [connectionId],
      ),
    );
    const refused = await own(user, `/${connectionId}/refresh`, 'POST');
    expect([refused.status, refused.json.at('error_code')]).toEqual([409, 'consent_ended']);
    const revoked = await own(user, `/${connectionId}`);
    expect([revoked.json.at('status'), revoked.json.at('consent', 'ended_by')]).toEqual(['revoked', 'expiry']);
    expect(await countOf(user, 'Condition')).toBe(conditions);
    await connect(ready, user, username, { fhirVersion: 'r4' });
    const [after] = await collected(ready, user);
    expect([after?.at('connection_id'), after?.at('status')]).toEqual([connectionId, 'active']);
  });
});
