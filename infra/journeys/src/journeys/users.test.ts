import { type ClientCredentials, newAppUserId, newClient, newUser } from '../suite/users';
import { bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';

const ready = readySuite();
const users = `${ready.base_url}/user-management/v1/user`;

describe('user management', () => {
  let client: ClientCredentials;
  let other: ClientCredentials;
  const headers = (of: ClientCredentials = client): Record<string, string> => ({
    client_id: of.client_id,
    client_secret: of.client_secret,
  });
  beforeAll(async () => {
    client = await newClient(ready, 'users journey');
    other = await newClient(ready, 'another client');
  });

  it('creates a user from headers and form, headers and JSON, or the query', async () => {
    const form = newAppUserId();
    const byForm = await http('POST', users, { headers: headers(), form: { app_user_id: form } });
    expect(byForm.status).toBe(200);
    expect(byForm.json.value).toEqual({
      success: true,
      code: expect.any(String),
      service_user_id: expect.any(Number),
      app_user_id: form,
      active: true,
    });
    const byJson = await http('POST', users, { headers: headers(), json: { app_user_id: newAppUserId() } });
    expect(byJson.json.at('success')).toBe(true);
    const query = new URLSearchParams({ app_user_id: newAppUserId(), ...headers() });
    const byQuery = await http('POST', `${users}?${query.toString()}`);
    expect(byQuery.json.at('active')).toBe(true);
    expect(byQuery.json.number('service_user_id')).toBeGreaterThan(byForm.json.number('service_user_id'));
  });

  it('rejects invalid requests', async () => {
    const taken = newAppUserId();
    await http('POST', users, { headers: headers(), form: { app_user_id: taken } });
    const again = await http('POST', users, { headers: headers(), form: { app_user_id: taken } });
    expect([again.status, again.json.value]).toEqual([
      409,
      { success: false, error: 'this user already exists', error_code: 'user_already_exists' },
    ]);
    expect((await http('POST', users, { headers: headers(other), form: { app_user_id: taken } })).status).toBe(200);
    const missing = await http('POST', users, { headers: headers(), form: {} });
    expect([missing.status, missing.json.at('success')]).toEqual([400, false]);
    expect(missing.json.text('error')).toContain('app_user_id');
    expect((await http('POST', users, { headers: headers(), form: { app_user_id: 'x'.repeat(256) } })).status).toBe(
      400,
    );
    const wrong = await http('POST', users, {
      headers: { client_id: client.client_id, client_secret: 'wrong' },
      form: { app_user_id: newAppUserId() },
    });
    expect([wrong.status, wrong.json.at('error_code')]).toEqual([401, 'invalid_client']);
    const method = await http('PATCH', users, { headers: headers() });
    expect([method.status, method.headers.get('allow')?.includes('POST')]).toEqual([405, true]);
    const tooLarge = await http('POST', users, {
      headers: headers(),
      json: { app_user_id: 'x'.repeat(5_500_000) },
    });
    expect(tooLarge.status).toBe(413);
  });

  it('lists, pages and finds the users of the client only', async () => {
    const made = [await newUser(ready, other), await newUser(ready, other), await newUser(ready, other)];
    const page = await http('GET', `${users}?offset=1&limit=2`, { headers: headers(other) });
    expect(page.json.value).toMatchObject({ success: true, offset: 1, limit: 2 });
    expect(page.json.list('entry')).toHaveLength(2);
    const found = await http('GET', `${users}?app_user_id=${encodeURIComponent(made[1]!.app_user_id)}`, {
      headers: headers(other),
    });
    expect(found.json.value).toMatchObject({
      total: 1,
      entry: [{ service_user_id: made[1]!.service_user_id, app_user_id: made[1]!.app_user_id, active: true }],
    });
    const foreign = await http('GET', `${users}?service_user_id=${made[0]!.service_user_id}`, { headers: headers() });
    expect(foreign.json.value).toMatchObject({ success: true, total: 0, entry: [] });
    const unknown = await http('PUT', users, {
      headers: headers(),
      json: { service_user_id: made[0]!.service_user_id, app_user_id: 'mine' },
    });
    expect([unknown.status, unknown.json.at('error_code')]).toEqual([404, 'user_not_found']);
  });

  it('changes app_user_id, and issues a code under the new one', async () => {
    const user = await newUser(ready, client);
    const renamed = newAppUserId();
    const changed = await http('PUT', users, {
      headers: headers(),
      form: { service_user_id: String(user.service_user_id), app_user_id: renamed },
    });
    expect(changed.json.value).toEqual({
      success: true,
      service_user_id: user.service_user_id,
      app_user_id: renamed,
      active: true,
    });
    const code = await http('POST', `${users}/auth-code`, { headers: headers(), json: { app_user_id: renamed } });
    expect(code.json.value).toMatchObject({
      success: true,
      service_user_id: user.service_user_id,
      app_user_id: renamed,
      active: true,
    });
    const old = await http('POST', `${users}/auth-code`, {
      headers: headers(),
      json: { app_user_id: user.app_user_id },
    });
    expect([old.status, old.json.at('error_code')]).toEqual([404, 'user_not_found']);
  });

  it('revokes every token of an inactive user at once', async () => {
    const user = await newUser(ready, client);
    const read = async (): Promise<number> =>
      (await http('GET', `${ready.base_url}/r4/Patient`, { headers: bearer(user.access_token) })).status;
    expect(await read()).toBe(200);
    await http('PUT', users, {
      headers: headers(),
      json: { service_user_id: user.service_user_id, app_user_id: user.app_user_id, active: false },
    });
    expect(await read()).toBe(401);
    expect((await http('POST', `${ready.search_url}/api/search`, { headers: bearer(user.access_token) })).status).toBe(
      401,
    );
    const code = await http('POST', `${users}/auth-code`, {
      headers: headers(),
      json: { app_user_id: user.app_user_id },
    });
    expect(code.status).toBeGreaterThanOrEqual(400);
    const refreshed = await http('POST', `${ready.auth_url}/oauth2/token`, {
      form: { ...headers(), grant_type: 'refresh_token', refresh_token: user.refresh_token },
    });
    expect([refreshed.status, refreshed.json.at('error')]).toEqual([400, 'invalid_grant']);
  });

  it('accepts exactly 300 requests per hour and does not count requests with a wrong secret', async () => {
    const busy = await newClient(ready, 'busy');
    await Promise.all(
      Array.from({ length: 10 }, () =>
        http('GET', users, { headers: { client_id: busy.client_id, client_secret: 'wrong' } }),
      ),
    );
    const statuses: number[] = [];
    for (let batch = 0; batch < 31; batch++)
      statuses.push(
        ...(await Promise.all(
          Array.from({ length: 10 }, async () => (await http('GET', users, { headers: headers(busy) })).status),
        )),
      );
    expect(statuses.filter((status) => status === 200)).toHaveLength(300);
    const refused = await http('GET', users, { headers: headers(busy) });
    expect([refused.status, refused.json.at('error_code')]).toEqual([429, expect.any(String)]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect(refused.headers.get('ratelimit-limit')).toBe('300');
  });

  it('deletes a user with all data', async () => {
    const user = await newUser(ready, client);
    await http('POST', `${ready.base_url}/r4/Patient`, {
      headers: bearer(user.access_token),
      json: { resourceType: 'Patient', name: [{ family: 'Gone' }] },
    });
    const deleted = await http('DELETE', users, {
      headers: headers(),
      json: { service_user_id: user.service_user_id },
    });
    expect(deleted.json.value).toEqual({ success: true });
    expect((await http('GET', `${ready.base_url}/r4/Patient`, { headers: bearer(user.access_token) })).status).toBe(
      401,
    );
    expect(
      (await http('GET', `${users}?service_user_id=${user.service_user_id}`, { headers: headers() })).json.at('total'),
    ).toBe(0);
  });
});
