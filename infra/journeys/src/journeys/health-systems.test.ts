import { waitUntil } from '@tributary/test-environment';
import { type User, newClient, newUser } from '../suite/users';
import { bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';

const ready = readySuite();

describe('search of health systems', () => {
  let user: User;
  beforeAll(async () => {
    user = await newUser(ready, await newClient(ready, 'directory journey'));
  });
  const search = (query: string): ReturnType<typeof http> =>
    http('POST', `${ready.search_url}/api/search${query}`, { headers: bearer(user.access_token) });

  it('pages through the directory by name, 20 entries per page, each entry once', async () => {
    const first = await search('');
    expect(first.json.value).toMatchObject({ success: true, offset: 0, limit: 20 });
    const total = first.json.number('total');
    const ids = new Set<unknown>();
    for (let offset = 0; offset < total; offset += 20)
      for (const entry of (await search(`?offset=${offset}`)).json.list('entry'))
        ids.add((entry as { id: unknown }).id);
    expect(ids.size).toBe(total);
    expect((await search(`?offset=${total + 40}`)).json.list('entry')).toEqual([]);
  });

  it('finds the sandbox by a mistyped name', async () => {
    const found = await search('?query=sandbx%20helth');
    expect(found.json.value).toMatchObject({
      entry: expect.arrayContaining([
        expect.objectContaining({
          id: ready.sandbox.health_system_id,
          name: expect.any(String),
          address: expect.any(String),
          fhirVersions: ['dstu2', 'stu3', 'r4'],
        }),
      ]),
    });
  });

  it('marks the sandbox, where this service is registered, as connectable, and ranks the others after it', async () => {
    const connectable = async (): Promise<unknown[]> => (await search('?connectable=true')).json.list('entry');
    // The registrations are copied every five seconds.
    await waitUntil(async () => (await connectable()).length > 0, 'a health system is connectable', 200);
    expect(await connectable()).toEqual([
      expect.objectContaining({ id: ready.sandbox.health_system_id, connectable: true }),
    ]);
    const [first, second] = (await search('')).json.list('entry');
    expect([first, second]).toEqual([
      expect.objectContaining({ id: ready.sandbox.health_system_id, connectable: true }),
      expect.objectContaining({ connectable: false }),
    ]);
  });

  it('accepts its parameters in a body, and rejects an invalid offset and a missing token', async () => {
    const body = await http('POST', `${ready.search_url}/api/search`, {
      headers: bearer(user.access_token),
      json: { offset: 20 },
    });
    expect(body.json.at('offset')).toBe(20);
    for (const offset of ['-1', 'x', '1.5']) expect((await search(`?offset=${offset}`)).status).toBe(400);
    const anonymous = await http('POST', `${ready.search_url}/api/search`);
    expect([anonymous.status, anonymous.headers.get('www-authenticate')?.startsWith('Bearer')]).toEqual([401, true]);
  });
});
