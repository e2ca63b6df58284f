import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningRedis, reachableTemporaryDirectory, startRedis } from '@tributary/local-databases';
import { FakeAuth } from './fake-auth';
import { DatabaseServer } from './database-server';
import { findFreePorts } from './ports';
import { Replica } from './replica';

const recoveredWithinMs = 120_000;

/** Two replicas of fhir-store on databases of their own. */
export class Suite {
  private constructor(
    readonly database: DatabaseServer,
    readonly replicas: readonly Replica[],
    readonly keyEncryptionKeyFile: string,
    private readonly auth: FakeAuth,
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
      findFreePorts(4),
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
    const replicas = [0, 1].map(
      (n) =>
        new Replica(ports[n] as number, ports[n + 2] as number, environment, join(folder, 'logs', `replica-${n}.log`)),
    );
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
    for (const giveUp = Date.now() + recoveredWithinMs; Date.now() < giveUp; await sleep(50)) {
      const ready = await Promise.all(this.replicas.map((replica) => replica.isReady()));
      if (ready.every(Boolean)) return;
    }
    throw new Error('a replica did not become ready again');
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await this.database.stop();
    await this.redis.stop();
    this.auth.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
