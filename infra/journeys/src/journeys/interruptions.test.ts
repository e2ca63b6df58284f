import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { resources } from '../records/comparable';
import { type User, collected, connect, exportAll, newUser } from '../suite/users';
import { bearer, http } from '../suite/http';
import { OwnSuite } from '../suite/own-suite';
import type { Ready } from '../suite/ready';

const portBase = Number(process.env['JOURNEY_PORT_BASE'] ?? 14_000) + 500;
const local = process.env['JOURNEY_HOME'] ? describe : describe.skip;

local('interruptions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-interruptions-'));
  const suite = new OwnSuite(join(folder, 'home'), portBase);
  let ready: Ready;
  let user: User;
  const accepted: string[] = [];
  beforeAll(async () => {
    ready = await suite.start('--fresh');
    user = await newUser(ready, ready.client);
  });
  afterAll(async () => {
    await suite.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** One create; a create with status 201 must never be lost. */
  async function create(): Promise<void> {
    try {
      const reply = await http('POST', `${ready.base_url}/r4/Basic`, {
        headers: bearer(user.access_token),
        json: { resourceType: 'Basic', code: { text: 'kept' } },
      });
      if (reply.status === 201) accepted.push(reply.json.text('id'));
    } catch {
      // The connection was lost, so the create is not acknowledged.
    }
  }

  it('loses no acknowledged write when each service in turn is killed under load', async () => {
    await connect(ready, user, 'load-3000', { fhirVersion: 'r4' });
    let stop = false;
    const creating = (async (): Promise<void> => {
      while (!stop) {
        await create();
        await pause(20);
      }
    })();
    for (const service of [
      'ingestion-worker',
      'fhir-store',
      'user-management',
      'auth',
      'sandbox-health-system',
      'gateway',
      'search',
      'analytics-export',
      'ingestion-worker',
    ]) {
      await pause(700);
      process.kill(suite.pid(service), 'SIGKILL');
      await pause(1500);
    }
    const connections = await untilCollected();
    while (accepted.length <= 50) await pause(20);
    stop = true;
    await creating;
    expect(connections).toEqual(['active']);
    await checkRecord();
  });

  it('keeps all data over a stop and a start', async () => {
    expect(await suite.stop('SIGINT')).toBe(0);
    ready = await suite.start();
    await checkRecord();
  });

  it('names the port in use and the variable to set', async () => {
    const taken = createServer().listen(portBase + 101, '127.0.0.1');
    await once(taken, 'listening');
    const second = new OwnSuite(join(folder, 'second'), portBase + 100);
    await expect(second.start()).rejects.toThrow(new RegExp(`port ${portBase + 101} .*is in use.*PORT_BASE`));
    taken.close();
  });

  async function untilCollected(): Promise<unknown[]> {
    for (;;) {
      try {
        return (await collected(ready, user)).map((connection) => connection.at('status'));
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        await pause(500);
      }
    }
  }

  async function checkRecord(): Promise<void> {
    const { lines } = await exportAll(ready, bearer(user.access_token));
    const all = resources(lines);
    const kept = new Set(all.filter(({ resourceType }) => resourceType === 'Basic').map(({ id }) => id));
    expect(accepted.filter((id) => !kept.has(id))).toEqual([]);
    expect(all.filter(({ resourceType, meta }) => resourceType === 'Basic' || meta?.versionId !== '1').length).toBe(
      kept.size,
    );
    expect(all.length - kept.size).toBe(3000);
  }
});
