import { readySuite } from '../suite/ready';
import { bearer, http } from '../suite/http';
import { DeveloperSession } from '../suite/developers';
import { admin } from '../suite/users';

const ready = readySuite();

describe('a developer', () => {
  let developer: DeveloperSession;
  let organisation: string;
  let client: { client_id: string; client_secret: string };
  const asClient = (path: string): string => `clients/${client.client_id}/${path}`;
  const newClient = (mode: string, name: string) =>
    developer.call('POST', `organisations/${organisation}/clients`, {
      mode,
      name,
      redirect_uris: [ready.client.redirect_uri],
    });
  beforeAll(async () => {
    developer = await DeveloperSession.signUp(ready);
    organisation = (await developer.call('POST', 'organisations', { name: 'Better Sleep' })).json.text('id');
    const { json } = await newClient('test', 'Better Sleep');
    client = { client_id: json.text('client_id'), client_secret: json.text('client_secret') };
  });

  it('has a client whose credentials work at once', async () => {
    const user = { app_user_id: 'one@example.org' };
    const created = await http('POST', `${ready.base_url}/user-management/v1/user`, { headers: client, json: user });
    expect(created.status).toBe(200);
    const token = await http('POST', `${ready.auth_url}/oauth2/token`, {
      form: { grant_type: 'authorization_code', code: created.json.text('code'), ...client },
    });
    const { status } = await http('GET', `${ready.base_url}/r4/Patient`, {
      headers: bearer(token.json.text('access_token')),
    });
    expect(status).toBe(200);
  });

  it('sees and changes the users and the settings of the client by its own requests', async () => {
    const users = await developer.call('GET', asClient('base/user-management/v1/user?app_user_id=one@example.org'));
    expect(users.json.at('entry', 0)).toMatchObject({ app_user_id: 'one@example.org', active: true });
    const settings = 'auth/client-management/v1/client';
    expect((await developer.call('PATCH', asClient(settings), { consent_days: 30 })).json.at('consent_days')).toBe(30);
    const refused = await developer.call('PATCH', asClient(settings), { redirect_uris: ['http://app.example/'] });
    expect([refused.status, refused.json.text('error_description')]).toEqual([
      400,
      expect.stringContaining('redirect_uris.0'),
    ]);
    const endpoint = { url: `${new URL(ready.client.redirect_uri).origin}/demo/webhook` };
    expect((await developer.call('POST', asClient('base/connect/v1/webhooks'), endpoint)).status).toBe(200);
    expect((await developer.call('GET', asClient('base/connect/v1/webhooks'))).json.list('entry')).toHaveLength(1);
    expect((await developer.call('GET', asClient('analytics/bulk-data/r4/$export'))).status).toBe(200);
  });

  it('is named in the audit log beside the client', async () => {
    const account = (await developer.call('GET', 'account')).json.text('id');
    const exported = await admin('audit', 'export', '--client', client.client_id);
    const agents = exported
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { kind: string; agent: { developer?: string } })
      .filter(({ kind }) => kind === 'client.changed')
      .map(({ agent }) => agent.developer);
    expect(agents).toContain(account);
  });

  it('has live clients when the operator allows it', async () => {
    expect((await newClient('live', 'Better Sleep')).json.at('error_code')).toBe('live_clients_not_allowed');
    await admin('organisation', 'allow-live', organisation);
    const { status, json } = await newClient('live', 'Better Sleep');
    expect([status, json.text('client_id')]).toEqual([201, expect.stringMatching(/^live_/)]);
  });

  it('reaches nothing of others', async () => {
    const other = await DeveloperSession.signUp(ready);
    for (const path of [
      `organisations/${organisation}`,
      `organisations/${organisation}/members`,
      `organisations/${organisation}/clients`,
      asClient('base/user-management/v1/user'),
      asClient('auth/client-management/v1/client'),
      `clients/${ready.client.client_id}/base/user-management/v1/user`,
    ])
      expect([path, (await other.call('GET', path)).status]).toEqual([path, 404]);
  });

  it('rotates the secret, and deletes the client by its name', async () => {
    const rotated = await developer.call('POST', asClient('auth/client-management/v1/client/secret'), {
      overlap_hours: 0,
    });
    const users = `${ready.base_url}/user-management/v1/user`;
    expect((await http('GET', users, { headers: client })).status).toBe(401);
    const headers = { client_id: client.client_id, client_secret: rotated.json.text('client_secret') };
    expect((await http('GET', users, { headers })).status).toBe(200);
    const remove = (confirm: string) =>
      developer.call('DELETE', asClient('auth/client-management/v1/client'), { confirm });
    expect([(await remove('Another')).status, (await remove('Better Sleep')).status]).toEqual([400, 202]);
    expect((await http('GET', users, { headers })).status).toBe(401);
    const clients = await developer.call('GET', `organisations/${organisation}/clients`);
    expect(clients.json.text('entry', 0, 'deletion_at')).toBeDefined();
  });
});
