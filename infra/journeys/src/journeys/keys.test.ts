import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { raisedLimits } from '@tributary/local';
import { resources } from '../records/comparable';
import { bearer, http } from '../suite/http';
import { OwnSuite } from '../suite/own-suite';
import type { Ready } from '../suite/ready';
import { type User, collected, connect, exportAll, newUser } from '../suite/users';

const portBase = Number(process.env['JOURNEY_PORT_BASE'] ?? 14_000) + 700;
const local = process.env['JOURNEY_HOME'] ? describe : describe.skip;

interface KeyStatus {
  service: string;
  versions: { id: string; state: string; keys: number }[];
}

local('a rotation of the key-encryption keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-keys-'));
  const suite = new OwnSuite(join(folder, 'home'), portBase, { ...raisedLimits, SECRET_ACTIVATION_SECONDS: '1' });
  const keyFiles = ['records', 'user-management', 'ingestion-worker', 'console'].map((name) =>
    join(suite.home, `key-encryption-key-${name}`),
  );
  let ready: Ready;
  const users: User[] = [];
  beforeAll(async () => {
    ready = await suite.start('--fresh', '--replicas', '2');
  });
  afterAll(async () => {
    await suite.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A new user with a resource: keys of each kind are created and used. */
  async function addUser(): Promise<void> {
    const user = await newUser(ready, ready.client);
    const reply = await http('POST', `${ready.base_url}/r4/Basic`, {
      headers: bearer(user.access_token),
      json: { resourceType: 'Basic', code: { text: 'kept' } },
    });
    if (reply.status !== 201) throw new Error(`a create was answered with ${reply.status}: ${reply.text}`);
    users.push(user);
  }

  async function readAll(): Promise<void> {
    for (const user of users) {
      const reply = await http('GET', `${ready.base_url}/r4/Basic`, { headers: bearer(user.access_token) });
      expect([reply.status, reply.json.at('total')]).toEqual([200, 1]);
    }
  }

  const statuses = async (): Promise<KeyStatus[]> =>
    (await suite.admin('keys', 'status', '--json'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as KeyStatus);

  it('takes place under load on two replicas, without a failed request and without a restart', async () => {
    await addUser();
    const [first] = users as [User];
    await connect(ready, first, 'load-300', { fhirVersion: 'r4' });
    await collected(ready, first);
    const before = await statuses();
    expect(before.map(({ service }) => service)).toEqual([
      'fhir-store',
      'user-management',
      'ingestion-worker',
      'console',
    ]);
    const former = before.map(({ versions }) => versions[0]?.id ?? '');
    expect(new Set(former).size).toBe(keyFiles.length);

    let isLoaded = true;
    const load = (async (): Promise<void> => {
      // Each new user wraps keys. The pause leaves the machine to the commands.
      for (; isLoaded; await pause(200)) await addUser();
    })();
    for (const file of keyFiles) appendFileSync(file, `${randomBytes(32).toString('base64')}\n`);
    // Until every replica has read the files, each may wrap a key by the old version after a rotation.
    for (let isDone = false; !isDone; await pause(500)) {
      await suite.admin('keys', 'rotate').catch(() => undefined);
      isDone = (await statuses()).every(({ versions: [old, fresh] }) => fresh?.state === 'current' && old?.keys === 0);
    }
    // The command leaves replicas more than a minute to read the files. These have read them.
    const minutesAgo = Date.now() / 1000 - 300;
    for (const file of keyFiles) utimesSync(file, minutesAgo, minutesAgo);
    for (const id of former) expect(await suite.admin('keys', 'retire', id)).toContain('remove its line');
    for (const file of keyFiles) {
      const [, line] = readFileSync(file, 'utf8').trim().split('\n') as [string, string];
      writeFileSync(file, `${line}\n`);
    }
    const added = users.length;
    while (users.length < added + 20) await Promise.race([load, pause(200)]);
    isLoaded = false;
    await load;
    await readAll();
  });

  it('leaves everything readable with the new key alone', async () => {
    expect(await suite.stop()).toBe(0);
    ready = await suite.start('--replicas', '2');
    await readAll();
    const [first] = users as [User];
    const { lines } = await exportAll(ready, bearer(first.access_token));
    expect(resources(lines)).toHaveLength(301);
    for (const { versions } of await statuses())
      expect(versions).toEqual([expect.objectContaining({ state: 'current' })]);
  });

  it('wraps nothing with another key that takes the place of the right one while services run', async () => {
    const kept = keyFiles.map((file) => readFileSync(file));
    for (const file of keyFiles) writeFileSync(file, `${randomBytes(32).toString('base64')}\n`);
    await expect(suite.admin('keys', 'rotate')).rejects.toThrow(/key-encryption key opens none of the keys/);
    // A connection makes a key of its user, which the key-encryption key wraps.
    const attempt = async (): Promise<boolean> => {
      try {
        const landed = await connect(ready, await newUser(ready, ready.client), 'load-20', { fhirVersion: 'r4' });
        return landed.searchParams.has('connection_id');
      } catch {
        return false;
      }
    };
    /** Each replica looks at the file every five seconds, and stays as it was until then. */
    const untilConnections = async (succeed: boolean): Promise<void> => {
      const deadline = Date.now() + 60_000;
      for (let inARow = 0; inARow < 5; await pause(200)) {
        inARow = (await attempt()) === succeed ? inARow + 1 : 0;
        if (Date.now() > deadline) throw new Error(`connections ${succeed ? 'do not succeed' : 'succeed'}`);
      }
    };
    await untilConnections(false);
    for (const [index, file] of keyFiles.entries()) writeFileSync(file, kept[index] as Buffer);
    await untilConnections(true);
    for (const { versions } of await statuses())
      expect(versions).toEqual([expect.objectContaining({ state: 'current' })]);
    await readAll();
  });
});
