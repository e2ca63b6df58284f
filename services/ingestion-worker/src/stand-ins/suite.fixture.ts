import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase, testRedis } from '@tributary/test-environment';
import { FhirStoreStandIn } from './fhir-store.fixture';
import { Sandbox } from './sandbox.fixture';
import { type HeldConnection, UserManagementStandIn } from './user-management.fixture';
import { TestQueue, type WorkerPlace, keyFile, redisDatabase } from './worker.fixture';

/** Everything around the worker: the sandbox, stand-ins of our own services, a database and a queue. */
export interface Suite {
  sandbox: Sandbox;
  userManagement: UserManagementStandIn;
  fhirStore: FhirStoreStandIn;
  queue: TestQueue;
  place: WorkerPlace;
  stop(): Promise<void>;
}

/** @param redisDatabaseNumber one for each test file: they run side by side */
export async function startSuite(redisDatabaseNumber: number, place: Partial<WorkerPlace> = {}): Promise<Suite> {
  const [sandbox, database, fhirStore] = await Promise.all([
    Sandbox.start(),
    createDatabase(),
    FhirStoreStandIn.start(),
  ]);
  const userManagement = await UserManagementStandIn.start(sandbox);
  const redisUrl = redisDatabase(testRedis().url, redisDatabaseNumber);
  const queue = new TestQueue(redisUrl);
  // As the schedule of user-management does.
  const requeue = setInterval(() => void queue.add(...userManagement.takeDue()).catch(() => undefined), 50);
  return {
    sandbox,
    userManagement,
    fhirStore,
    queue,
    place: {
      databaseUrl: database.url,
      redisUrl,
      userManagementUrl: userManagement.server.url,
      fhirStoreUrl: fhirStore.server.url,
      keyFile: keyFile(),
      collectionsAtOnce: 100,
      caps: { perHost: 6, overall: 48 },
      answerBytes: 50_000_000,
      allowPrivateAddresses: true,
      lockMs: 5000,
      logLevel: 'silent',
      ...place,
    },
    stop: async () => {
      clearInterval(requeue);
      await queue.close();
      await Promise.all([userManagement.server.stop(), fhirStore.server.stop(), sandbox.stop(), database.drop()]);
    },
  };
}

/** Waits until none of the collections is under way. */
export async function ended(collections: HeldConnection[], withinMs = 600_000): Promise<void> {
  const until = Date.now() + withinMs;
  while (collections.some(({ connection }) => connection.status === 'collecting')) {
    if (Date.now() > until) {
      const open = collections.filter(({ connection }) => connection.status === 'collecting');
      throw new Error(
        `not ended: ${open.map(({ username, reports }) => `${username} (${reports.at(-1)?.error ?? 'no error'})`).join(', ')}`,
      );
    }
    await pause(20);
  }
}
