import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { waitUntil } from '@tributary/test-environment';
import { resources } from '../records/comparable';
import { bearer, http } from '../suite/http';
import { OwnSuite } from '../suite/own-suite';
import type { Ready } from '../suite/ready';
import { type User, collected, connect, exportAll, newUser } from '../suite/users';

const portBase = Number(process.env['JOURNEY_PORT_BASE'] ?? 14_000) + 500;
const local = process.env['JOURNEY_HOME'] && !process.env['TRIBUTARY_CERTIFICATES'] ? describe : describe.skip;

const resourcesOfRecord = 3000;
/** After which the next server fails: another one has taken over by then. */
const betweenFailuresMs = 6000;

local.each([
  { mode: 'cluster', primaries: ['redis-1', 'redis-2', 'redis-3'] },
  // Each of the others may be the second primary.
  { mode: 'sentinel', primaries: ['redis-1'] },
])('two replicas of each service on Redis ($mode)', ({ mode, primaries }) => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-redis-'));
  const suite = new OwnSuite(join(folder, 'home'), portBase);
  let ready: Ready;
  let users: User[];
  beforeAll(async () => {
    ready = await suite.start('--fresh', '--redis', mode, '--replicas', '2');
    users = await Promise.all(Array.from({ length: 3 }, () => newUser(ready, ready.client)));
  });
  afterAll(async () => {
    await suite.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('collect every resource once while servers of Redis are killed', async () => {
    for (const user of users) await connect(ready, user, `load-${resourcesOfRecord}`, { fhirVersion: 'r4' });
    for (const server of primaries) {
      process.kill(suite.pid(server), 'SIGKILL');
      await pause(betweenFailuresMs);
    }
    for (const user of users) {
      expect((await collected(ready, user)).map((connection) => connection.at('status'))).toEqual(['active']);
      const { lines } = await exportAll(ready, bearer(user.access_token));
      const stored = resources(lines);
      expect(stored.length).toBe(resourcesOfRecord);
      expect(stored.filter(({ meta }) => meta?.versionId !== '1')).toEqual([]);
    }
  });

  it('refuse a revoked token at once, and collect again', async () => {
    const [user, other] = users as [User, User];
    const read = (): Promise<number> =>
      http('GET', `${ready.base_url}/r4/Observation?_count=1`, { headers: bearer(user.access_token) }).then(
        ({ status }) => status,
      );
    // Both replicas have the token in their caches.
    expect(new Set(await Promise.all(Array.from({ length: 8 }, read)))).toEqual(new Set([200]));
    const { client_id, client_secret } = ready.client;
    const revoked = await http('POST', `${ready.auth_url}/oauth2/revoke`, {
      form: { client_id, client_secret, token: user.access_token },
    });
    expect(revoked.status).toBe(200);
    await waitUntil(
      async () => (await Promise.all(Array.from({ length: 8 }, read))).every((status) => status === 401),
      'no replica accepts the token',
    );
    await connect(ready, other, 'amelia-hart', { fhirVersion: 'stu3' });
    expect((await collected(ready, other)).map((connection) => connection.at('status'))).toEqual(['active']);
  });
});
