import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningRedis, reachableTemporaryDirectory, startRedis } from '@tributary/local-databases';
import { FakeAuth, freePort, waitUntil } from '@tributary/test-environment';
import { DatabaseServer } from './database-server';
import { Replica } from './replica';

/** Two replicas of fhir-store on databases of their own. */
export class Suite {
  private constructor(
    readonly database: DatabaseServer,
    readonly replicas: readonly Replica[],
    readonly keyEncryptionKeyFile: string,
    readonly auth: FakeAuth,
    private readonly redis: RunningRedis,
    private readonly folder: string,
  ) {}

  static async start(): Promise<Suite> {
    const folder = mkdtempSync(join(reachableTemporaryDirectory(), 'tributary-history-'));
    // PostgreSQL may run as another user, who must be able to enter the folder.
    chmodSync(folder, 0o711);
    const keyFile = join(folder, 'key-encryption-key');
    writeFileSync(keyFile, randomBytes(32).toString('base64'), { mode: 0o600 });
    mkdirSync(join(folder, 'logs'));
    const [database, redis, auth, ports] = await Promise.all([
      DatabaseServer.start(join(folder, 'postgres')),
      startRedis(),
      FakeAuth.start(),
      Promise.all(Array.from({ length: 4 }, freePort)),
    ]);
    const environment = {
      DATABASE_URL: database.url,
      SANDBOX_MODE: 'true',
      REDIS_URL: redis.url,
      AUTH_URL: auth.url,
      AUTH_INTERNAL_URL: auth.url,
      BASE_URL: 'http://fhir.example.org',
      KEY_ENCRYPTION_KEY_FILE: keyFile,
      PAGE_TOKEN_KEY: randomBytes(32).toString('base64'),
      SERVICE_KEY: 'key of the fhir store',
      SERVICE_KEYS: JSON.stringify({}),
      LOG_LEVEL: 'warn',
      RATE_LIMITS: 'fhir-user=off,fhir-client=off',
      LIMIT_FHIR_CONCURRENT: '100000',
    };
    const replicas = [0, 2].map((n) => {
      const [PORT, INTERNAL_PORT] = ports.slice(n, n + 2) as [number, number];
      return new Replica({ ...environment, PORT, INTERNAL_PORT }, join(folder, 'logs', `${PORT}.log`));
    });
    const suite = new Suite(database, replicas, keyFile, auth, redis, folder);
    try {
      await Promise.all(replicas.map((replica) => replica.start()));
      return suite;
    } catch (error) {
      await suite.stop();
      throw error;
    }
  }

  /** Waits until every replica is ready again. */
  async recovered(): Promise<void> {
    const areReady = async (): Promise<boolean> =>
      (await Promise.all(this.replicas.map((replica) => replica.isReady()))).every(Boolean);
    await waitUntil(areReady, 'every replica is ready again', 50);
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.end('SIGTERM')));
    await this.database.stop();
    await this.redis.stop();
    await this.auth.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
