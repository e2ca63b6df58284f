import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase, testRedis } from '@tributary/test-environment';
import { FakeFhirStore } from './fake-fhir-store';
import { Sandbox } from './sandbox';
import { type TestConnection, FakeUserManagement } from './fake-user-management';
import { TestQueue, type TestWorkerSettings, keyFile } from './worker';

/** The environment of a worker: the sandbox, fakes of the internal services, a database and a queue. */
export interface Suite {
  sandbox: Sandbox;
  userManagement: FakeUserManagement;
  fhirStore: FakeFhirStore;
  queue: TestQueue;
  workerSettings: TestWorkerSettings;
  stop(): Promise<void>;
}

export async function startSuite(workerSettings: Partial<TestWorkerSettings> = {}): Promise<Suite> {
  const [sandbox, database, fhirStore] = await Promise.all([Sandbox.start(), createDatabase(), FakeFhirStore.start()]);
  const userManagement = await FakeUserManagement.start(sandbox);
  const redisUrl = testRedis().url;
  const queue = new TestQueue(redisUrl);
  // As the scheduled job of user-management does.
  const requeue = setInterval(() => void queue.add(...userManagement.takeDue()).catch(() => undefined), 50);
  return {
    sandbox,
    userManagement,
    fhirStore,
    queue,
    workerSettings: {
      databaseUrl: database.url,
      redisUrl,
      userManagementUrl: userManagement.server.url,
      fhirStoreUrl: fhirStore.server.url,
      keyFile: keyFile(),
      collectionsAtOnce: 100,
      caps: { perHost: 6, overall: 48 },
      responseMemoryBytes: 50_000_000,
      allowPrivateAddresses: true,
      // Longer than a busy machine stops a process: tests expire what killed workers held (`expireLeases`).
      lockMs: 60_000,
      idleTimeoutMs: 60_000,
      logLevel: process.env['TRIBUTARY_LOG'] ?? 'silent',
      ...workerSettings,
    },
    stop: async () => {
      clearInterval(requeue);
      await queue.close();
      await Promise.all([userManagement.server.stop(), fhirStore.server.stop(), sandbox.stop(), database.drop()]);
    },
  };
}

/** Waits until none of the collections is in progress. */
export async function ended(collections: TestConnection[], withinMs = 600_000): Promise<void> {
  const until = Date.now() + withinMs;
  while (collections.some(({ connection }) => connection.status === 'collecting')) {
    if (Date.now() > until) {
      const open = collections.filter(({ connection }) => connection.status === 'collecting');
      throw new Error(
        `not ended: ${open.map(({ username, reports }) => `${username} (${reports.at(-1)?.error?.message ?? 'no error'})`).join(', ')}`,
      );
    }
    await pause(20);
  }
}
