import { type User, collected, connect, exportAll, newClient, newUser } from '../suite/users';
import { Json, bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';

const ready = readySuite();
/** A generated person of the sandbox that no other journey connects to. */
const username = 'person-90417';
/** In containers, the address in `meta.source` is that within their network. */
const sandbox = new URL(ready.base_url);
sandbox.port = String(Number(sandbox.port) + 4);

describe('a resource that a health system has deleted', () => {
  let user: User;
  const headers = (): Record<string, string> => bearer(user.access_token);
  const refresh = async (query: string): Promise<void> => {
    const [connection] = await collected(ready, user);
    const address = `${ready.base_url}/connect/v1/connections/${connection?.text('connection_id')}/refresh${query}`;
    expect((await http('POST', address, { headers: headers() })).status).toBe(200);
    const after = await collected(ready, user);
    expect(after.map((entry) => entry.at('status'))).toEqual(['active']);
  };

  beforeAll(async () => {
    user = await newUser(ready, await newClient(ready, 'deletion journey'));
    await connect(ready, user, username, { fhirVersion: 'r4' });
    await collected(ready, user);
  });

  it('is deleted with its history by a full collection, and an export lists it as deleted', async () => {
    const conditions = (await http('GET', `${ready.base_url}/r4/Condition`, { headers: headers() })).json;
    const before = conditions.list('entry').length;
    const condition = new Json(conditions.at('entry', 0, 'resource'));
    const address = `${ready.base_url}/r4/Condition/${condition.text('id')}`;
    const sourceId = condition.text('meta', 'source').split('/').at(-1);
    const { manifest } = await exportAll(ready, headers());
    const removed = await http('DELETE', `${sandbox.origin}/sandbox/patients/${username}/r4/Condition/${sourceId}`);
    expect(removed.status).toBe(204);

    await refresh('');
    expect((await http('GET', address, { headers: headers() })).status).toBe(200);
    await refresh('?full=true');
    expect((await http('GET', address, { headers: headers() })).status).toBe(410);
    const kept = await http('GET', `${address}/_history/1`, { headers: headers() });
    expect(kept.json.at('code')).toEqual(condition.at('code'));
    const left = (await http('GET', `${ready.base_url}/r4/Condition`, { headers: headers() })).json.list('entry');
    expect(left).toHaveLength(before - 1);

    const since = encodeURIComponent(manifest.text('transactionTime'));
    const changes = await exportAll(ready, headers(), `?_since=${since}`);
    expect(changes.lines).toEqual([]);
    const deleted = new Json(changes.manifest.at('deleted', 0)).text('url');
    expect((await http('GET', deleted, { headers: headers() })).text).toContain(`Condition/${condition.text('id')}`);
  });
});
