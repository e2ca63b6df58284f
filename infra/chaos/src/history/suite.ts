import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ReplicatedRedis,
  type RunningObjectStorage,
  type RunningPgBouncer,
  type RunningRedis,
  reachableTemporaryDirectory,
  startObjectStorage,
  startPgBouncer,
  startRedis,
  startRedisCluster,
  startRedisSentinels,
} from '@tributary/local-databases';
import { openPool } from '@tributary/service-kit';
import { FakeAuth, freePort, waitUntil } from '@tributary/test-environment';
import { signalProcess } from '../suite/signals';
import { DatabaseServer } from './database-server';
import type { Form } from './form';
import { Replica } from './replica';

/** Fewer than the replicas have requests at once: they share the connections. */
const pooledConnections = 6;

const startOfRedis = { server: startRedis, sentinel: startRedisSentinels, cluster: startRedisCluster };

/** Two replicas of fhir-store on databases of their own. */
export class Suite {
  private constructor(
    readonly database: DatabaseServer,
    readonly replicas: readonly Replica[],
    readonly keyEncryptionKeyFile: string,
    readonly auth: FakeAuth,
    private readonly redis: RunningRedis | ReplicatedRedis,
    private readonly pgbouncer: RunningPgBouncer | undefined,
    private readonly objects: RunningObjectStorage | undefined,
    private readonly folder: string,
  ) {}

  static async start(form: Form): Promise<Suite> {
    const folder = mkdtempSync(join(reachableTemporaryDirectory(), 'tributary-history-'));
    // PostgreSQL may run as another user, who must be able to enter the folder.
    chmodSync(folder, 0o711);
    const keyFile = join(folder, 'key-encryption-key');
    writeFileSync(keyFile, randomBytes(32).toString('base64'), { mode: 0o600 });
    mkdirSync(join(folder, 'logs'));
    const [database, redis, auth, ports] = await Promise.all([
      DatabaseServer.start(join(folder, 'postgres'), form.readReplica),
      startOfRedis[form.redis](),
      FakeAuth.start(),
      Promise.all(Array.from({ length: 4 }, freePort)),
    ]);
    const pgbouncer = form.pgbouncer ? await startPooler(database) : undefined;
    const objects = form.objectStorage ? await startObjectStorage() : undefined;
    const environment = {
      ...objects?.variables,
      ...databaseVariables(database, pgbouncer),
      SANDBOX_MODE: 'true',
      REDIS_URL: redis.url,
      REDIS_MODE: form.redis,
      AUTH_URL: auth.url,
      AUTH_INTERNAL_URL: auth.url,
      BASE_URL: 'http://fhir.example.org',
      KEY_ENCRYPTION_KEY_FILE: keyFile,
      PAGE_TOKEN_KEY: randomBytes(32).toString('base64'),
      SERVICE_KEY: 'key of the fhir store',
      SERVICE_KEYS: JSON.stringify({}),
      LOG_LEVEL: 'warn',
      // High limits: each request uses Redis.
      RATE_LIMITS: 'fhir-user=1000000/60,fhir-client=1000000/60',
      LIMIT_FHIR_CONCURRENT: '100000',
    };
    const replicas = [0, 2].map((n) => {
      const [PORT, INTERNAL_PORT] = ports.slice(n, n + 2) as [number, number];
      return new Replica({ ...environment, PORT, INTERNAL_PORT }, join(folder, 'logs', `${PORT}.log`));
    });
    const suite = new Suite(database, replicas, keyFile, auth, redis, pgbouncer, objects, folder);
    try {
      await Promise.all(replicas.map((replica) => replica.start()));
      return suite;
    } catch (error) {
      await suite.stop();
      throw error;
    }
  }

  /** The variables of the object storage; none without it. */
  get objectStorage(): Record<string, string> {
    return { SANDBOX_MODE: 'true', ...this.objects?.variables };
  }

  /** Whether one server of Redis takes over from another one. */
  get hasRedisReplicas(): boolean {
    return 'servers' in this.redis;
  }

  /** Kills a primary of Redis for good. */
  killRedisPrimary(): void {
    const [primary] = 'servers' in this.redis ? this.redis.servers : [];
    if (primary) signalProcess(primary.pid, 'SIGKILL');
  }

  /** Waits until every replica is ready again. */
  async recovered(): Promise<void> {
    const areReady = async (): Promise<boolean> =>
      (await Promise.all(this.replicas.map((replica) => replica.isReady()))).every(Boolean);
    await waitUntil(areReady, 'every replica is ready again', 50);
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.end('SIGTERM')));
    await this.pgbouncer?.stop();
    await this.database.stop();
    await this.redis.stop();
    await this.objects?.stop();
    await this.auth.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function databaseVariables(
  { url, port }: DatabaseServer,
  pgbouncer: RunningPgBouncer | undefined,
): Record<string, string> {
  if (!pgbouncer) return { DATABASE_URL: url };
  return { DATABASE_URL: url.replace(`:${port}/`, `:${pgbouncer.port}/`), DATABASE_POOLER: 'transaction' };
}

async function startPooler({ url, port, superuserPassword }: DatabaseServer): Promise<RunningPgBouncer> {
  // Its role has another name than the schema, and connections of PgBouncer have no startup parameters.
  const pool = openPool(url, 'public');
  await pool.query('ALTER ROLE CURRENT_USER SET search_path = fhir_store, public');
  await pool.end();
  return startPgBouncer({
    serverPort: port,
    passwords: { postgres: superuserPassword },
    poolSize: pooledConnections,
    maxClients: 200,
  });
}
