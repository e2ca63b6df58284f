import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DeveloperSession, developerPassword } from '../suite/developers';
import { http } from '../suite/http';
import { OwnSuite } from '../suite/own-suite';
import type { Ready } from '../suite/ready';

const portBase = Number(process.env['JOURNEY_PORT_BASE'] ?? 14_000) + 800;
const local = process.env['JOURNEY_HOME'] ? describe : describe.skip;

local('the developer console in two replicas, with the limits of production', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-console-'));
  const suite = new OwnSuite(join(folder, 'home'), portBase);
  let ready: Ready;
  beforeAll(async () => {
    ready = await suite.start('--fresh', '--replicas', '2');
  });
  afterAll(async () => {
    await suite.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('loses no session when a replica is killed, and answers on', async () => {
    const developer = await DeveloperSession.signUp(ready);
    const { json } = await developer.call('POST', 'organisations', { name: 'Better Sleep' });
    const read = () => developer.call('GET', `organisations/${json.text('id')}/clients`);
    // Both replicas have answered it before.
    for (let requests = 0; requests < 4; requests++) expect((await read()).status).toBe(200);
    process.kill(suite.pid('console'), 'SIGKILL');
    const statuses = new Set<number>();
    for (let requests = 0; requests < 40; requests++) {
      // HAProxy closes the connection of a request whose own connection was reset. Browsers then send it again.
      statuses.add((await read().catch(read)).status);
      await pause(50);
    }
    expect([...statuses]).toEqual([200]);
  });

  it('refuses a right password after ten wrong ones, whichever replica is asked', async () => {
    const { email } = await DeveloperSession.signUp(ready);
    const signIn = (password: string) =>
      http('POST', `${ready.base_url}/console/api/v1/sign-in`, {
        headers: { Origin: new URL(ready.base_url).origin },
        json: { email, password },
      });
    expect((await signIn(developerPassword)).status).toBe(200);
    const wrong = await Promise.all(Array.from({ length: 14 }, (_, index) => signIn(`not the password ${index}`)));
    const count = (status: number): number => wrong.filter((reply) => reply.status === status).length;
    expect([count(401), count(429)]).toEqual([10, 4]);
    const refused = await signIn(developerPassword);
    expect([refused.status, Number(refused.headers.get('Retry-After')) > 0]).toEqual([429, true]);
    const other = await DeveloperSession.signUp(ready);
    expect((await other.call('GET', 'account')).status).toBe(200);
  });
});
