import { createDatabase, testRedis, waitUntil } from '@tributary/test-environment';
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

/** Waits until none of the collections is in progress, as long as their attempts are reported. */
export async function ended(collections: TestConnection[]): Promise<void> {
  const open = (): TestConnection[] => collections.filter(({ connection }) => connection.status === 'collecting');
  const reported = (): number => collections.reduce((sum, { reports }) => sum + reports.length, 0);
  while (open().length > 0) {
    const before = reported();
    await waitUntil(() => open().length === 0 || reported() > before, 'a report').catch(() => {
      const last = open().map(
        ({ username, reports }) => `${username} (${reports.at(-1)?.error?.message ?? 'no error'})`,
      );
      throw new Error(`not ended: ${last.join(', ')}`);
    });
  }
}
