import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import {
  type AuditEvent,
  type NewAuditEvent,
  createAuditSchema,
  eventIdOf,
  noPrevious,
  sealBlock,
  wrapStreamKey,
} from '@tributary/audit-log';
import { type RunningService, ServiceRuntime, createLog, readConfig } from '@tributary/service-kit';
import { FakeAuth, type TestRole, createDatabase, createRole, testRedis } from '@tributary/test-environment';
import type { Express } from 'express';
import { Client } from 'pg';
import type { Logger } from 'pino';
import request, { type Test } from 'supertest';
import { start } from '../src/app';
import { writerRole } from '../src/blocks/writer-role';
import { type AuditLogConfig, auditLogConfig } from '../src/config';
import { pageLimits } from '../src/search/audit-event-routes';

/** The service key of the console. */
export const consoleKey = 'console-key-0123456789abc';
export const baseUrl = 'https://base.example.org';

function newKey(type: 'rsa' | 'ed25519'): { publicKey: string; privateKey: string } {
  const { publicKey, privateKey } =
    type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519');
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  };
}

export const newSigningKey = (): string => newKey('ed25519').privateKey;

/** A stream of blocks, as the role of a service has it: the roles of tests have other names. */
export class TestStream {
  readonly streamId = randomUUID() as string;
  readonly #key = randomBytes(32);
  #sequence = 0;
  #previous: Buffer = noPrevious;

  constructor(
    private readonly superuser: Client,
    private readonly service: string,
    private readonly sealingKey: string,
  ) {}

  async begin(startedAt: number): Promise<this> {
    const { keyId, wrapped } = wrapStreamKey(this.sealingKey, this.streamId, this.#key);
    await this.superuser.query(
      `INSERT INTO audit.stream (stream_id, service, instance, started_at, key_wrapped, key_id, version, written_by)
       VALUES ($1, $2, 'host:1', $3, $4, $5, '1.0.0', $6)`,
      [this.streamId, this.service, new Date(startedAt), wrapped, keyId, writerRole(this.service)],
    );
    return this;
  }

  /** @returns the ids of the events */
  async add(startedAt: number, events: readonly NewAuditEvent[]): Promise<string[]> {
    const position = { streamId: this.streamId, sequence: this.#sequence++, startedAt, previous: this.#previous };
    const block = sealBlock(
      this.#key,
      position,
      events.map((event): AuditEvent => ({ at: startedAt, ...event })),
    );
    this.#previous = block.hash;
    await this.superuser.query(
      `INSERT INTO audit.block (stream_id, sequence, started_at, events, keys, previous, content, hash, written_by)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        block.streamId,
        block.sequence,
        new Date(startedAt),
        block.events,
        block.keys.map(String),
        block.previous,
        block.content,
        block.hash,
        writerRole(this.service),
      ],
    );
    return events.map((_event, index) => eventIdOf({ ...position, index }));
  }
}

/** The service on a fresh database, with the roles that it has in an installation, and streams to fill. */
export class AuditLogUnderTest {
  readonly #stops: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly service: RunningService,
    readonly auth: FakeAuth,
    /** Connected as the owner of the database. */
    readonly superuser: Client,
    readonly reader: TestRole,
    readonly config: AuditLogConfig,
    /** Connected as the role of a service, which may insert streams and blocks. */
    readonly writer: Client,
    private readonly sealingKey: string,
    readonly log: Logger,
    private readonly replicaOf: () => Promise<RunningService>,
  ) {}

  /**
   * @param settings of the environment, beside what is always set
   * @param isAudited whether the service records its own reads
   */
  static async start(
    settings: Record<string, string> = {},
    isAudited = false,
    pageMs = 600_000,
  ): Promise<AuditLogUnderTest> {
    const [database, auth] = await Promise.all([createDatabase(), FakeAuth.start()]);
    const [writing, reader] = [await createRole(database, 'audit'), await createRole(database, 'audit')];
    const superuser = new Client({ connectionString: database.url });
    const writer = new Client({ connectionString: writing.url });
    await Promise.all([superuser.connect(), writer.connect()]);
    const [writers, readerName] = [
      [writing, reader].map(({ url }) => new URL(url).username),
      new URL(reader.url).username,
    ];
    await createAuditSchema(superuser, { writers, reader: readerName });
    // The role of the service has another name in tests.
    if (isAudited)
      await superuser.query(`ALTER TABLE audit.stream ALTER written_by SET DEFAULT 'audit_log';
        ALTER TABLE audit.block ALTER written_by SET DEFAULT 'audit_log'`);
    const redis = testRedis();
    const keys = newKey('rsa');
    const environment = {
      SANDBOX_MODE: 'true',
      PORT: '0',
      INTERNAL_PORT: '0',
      DATABASE_URL: reader.url,
      REDIS_URL: redis.url,
      SERVICE_KEY: 'own-key-0123456789abc',
      SERVICE_KEYS: JSON.stringify({ console: consoleKey }),
      BASE_URL: baseUrl,
      AUTH_URL: 'https://auth.example.org',
      AUTH_INTERNAL_URL: auth.url,
      PAGE_TOKEN_KEY: randomBytes(32).toString('base64'),
      AUDIT_OPENING_KEY: keys.privateKey,
      AUDIT_SIGNING_KEY: newSigningKey(),
      AUDIT_SEALING_KEY: keys.publicKey,
      // All tests come from one address.
      RATE_LIMITS: 'failed-address=off',
      ...settings,
    };
    const config = readConfig(auditLogConfig, environment);
    const log = createLog('audit-log', 'silent');
    const runtime = await ServiceRuntime.open(
      { name: 'audit-log', serviceKey: environment.SERVICE_KEY, ...(isAudited ? { audit: config } : {}) },
      log,
    );
    const replicaOf = (): Promise<RunningService> =>
      // A page does not end early on a busy machine. The tests make checkpoints themselves.
      start(config, runtime, { limits: { ...pageLimits, milliseconds: pageMs }, checkpointSeconds: 86_400 });
    const service = await replicaOf();
    const under = new AuditLogUnderTest(
      service,
      auth,
      superuser,
      reader,
      config,
      writer,
      keys.publicKey,
      log,
      replicaOf,
    );
    under.#stops.push(
      () => service.stop(),
      () => runtime.close(),
      () => Promise.all([superuser.end(), writer.end(), auth.stop()]),
      () => database.drop(),
      () => Promise.all([writing.drop(), reader.drop()]),
    );
    return under;
  }

  /** Starts another instance of the service on the same database. */
  async startReplica(): Promise<RunningService> {
    const replica = await this.replicaOf();
    this.#stops.unshift(() => replica.stop());
    return replica;
  }

  /** Stops the service, and keeps the database. */
  async stopService(): Promise<void> {
    const [stopService, ...others] = this.#stops;
    this.#stops.splice(0, this.#stops.length, () => Promise.resolve(), ...others);
    await stopService?.();
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
  }

  /** A new stream of a service. */
  stream(service = 'fhir-store', startedAt = Date.now()): Promise<TestStream> {
    return new TestStream(this.superuser, service, this.sealingKey).begin(startedAt);
  }

  get app(): Express {
    return this.service.publicApp as Express;
  }

  /** @param url a path, or a whole URL of a link */
  get(url: string, headers: Record<string, string>): Test {
    return request(this.app).get(url.replace(baseUrl, '')).set(headers);
  }

  /** @param form the fields of the body */
  post(url: string, headers: Record<string, string>, form: Record<string, string>): Test {
    return request(this.app).post(url).set(headers).type('form').send(form);
  }

  newClient(): { client_id: string; client_secret: string } {
    const { client_id, client_secret } = this.auth.addClient();
    return { client_id, client_secret };
  }

  bearer(clientId: string, userId: number): { Authorization: string } {
    return { Authorization: `Bearer ${this.auth.addToken(clientId, userId)}` };
  }

  systemToken(clientId: string, scope: string): { Authorization: string } {
    return { Authorization: `Bearer ${this.auth.addToken(clientId, undefined, scope)}` };
  }
}
