import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewAuditEvent } from '@tributary/audit-log';
import type { ClientCredentials, ExportManifest, ExportedFile } from '@tributary/contracts';
import type { Release } from '@tributary/fhir-definitions';
import { LocalKeyEncryptionKey } from '@tributary/key-vault';
import type { RunningObjectStorage } from '@tributary/local-databases';
import { openObjectStorage } from '@tributary/object-storage';
import {
  type NewContent,
  RecordStorage,
  type UserRecord,
  grantReadAccess,
  typeCodeOf,
  recordStorageMigrations,
} from '@tributary/record-storage';
import { type RunningService, ServiceRuntime, createLog, readConfig } from '@tributary/service-kit';
import { FakeAuth, createDatabase, migratedTemplate, testRedis, waitUntil } from '@tributary/test-environment';
import type { Express } from 'express';
import { Pool } from 'pg';
import request, { type Test } from 'supertest';
import { analyticsExportConfig } from '../src/config';
import { exportSettings, start } from '../src/app';

export const analyticsUrl = 'https://analytics.example.org';
export const exportAddress = '/bulk-data/r4/$export';

/** A user of a test: their record, and the credentials of an export of it. */
export interface TestUser {
  record: UserRecord;
  bearer: { Authorization: string };
}

/** A client of a test, and the credentials of an export of all of its users. */
export interface TestClient extends ClientCredentials {
  headers: Record<string, string>;
}

/**
 * The whole service on a fresh database, with a role that may do no more than it must, a storage to fill, and the steps
 * that its tests repeat.
 */
export class ExportUnderTest {
  /** What was recorded in the audit log. */
  readonly events: NewAuditEvent[] = [];
  /** Replaces the audit trail while it is set. */
  recordEvent: ((event: NewAuditEvent) => Promise<string>) | undefined;
  #users = 0;

  private constructor(
    readonly services: RunningService[],
    readonly auth: FakeAuth,
    readonly storage: RecordStorage,
    readonly pool: Pool,
    readonly environment: Readonly<Record<string, string>>,
    readonly stop: () => Promise<void>,
  ) {}

  /**
   * @param variables of the environment, beside what is always set
   * @param settings beside the defaults
   */
  static async start({
    variables = {},
    settings = {},
    replicas = 1,
    objectStorage,
  }: {
    variables?: Record<string, string>;
    settings?: Partial<typeof exportSettings>;
    replicas?: number;
    /** Where large content is kept. */
    objectStorage?: RunningObjectStorage;
  } = {}): Promise<ExportUnderTest> {
    const [database, auth] = await Promise.all([
      createDatabase(migratedTemplate('records', recordStorageMigrations())),
      FakeAuth.start(),
    ]);
    const redis = testRedis();
    const folder = mkdtempSync(join(tmpdir(), 'analytics-export-'));
    const keyFile = join(folder, 'kek');
    writeFileSync(keyFile, randomBytes(32).toString('base64'));
    const pool = new Pool({ connectionString: database.url, max: 16 });
    pool.on('error', () => undefined);
    const role = `analytics_export_${randomBytes(6).toString('hex')}`;
    await pool.query(
      `CREATE ROLE ${role} LOGIN PASSWORD 'of-the-test'; CREATE SCHEMA analytics_export AUTHORIZATION ${role}`,
    );
    await grantReadAccess(pool, role);
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'of-the-test'];
    const environment = {
      PORT: '0',
      INTERNAL_PORT: '0',
      SANDBOX_MODE: 'true',
      DATABASE_URL: url.href,
      REDIS_URL: redis.url,
      SERVICE_KEY: 'own-key-0123456789abc',
      ANALYTICS_URL: analyticsUrl,
      AUTH_URL: 'https://auth.example.org',
      AUTH_INTERNAL_URL: auth.url,
      USER_MANAGEMENT_INTERNAL_URL: auth.url,
      KEY_ENCRYPTION_KEY_FILE: keyFile,
      FILE_TOKEN_KEY: randomBytes(32).toString('base64'),
      // All tests come from one address.
      RATE_LIMITS: 'failed-address=off',
      ...objectStorage?.variables,
      ...variables,
    };
    const services: RunningService[] = [];
    const self = (): ExportUnderTest => test;
    for (let i = 0; i < replicas; i++) {
      const runtime = await ServiceRuntime.open(
        { name: 'analytics-export', serviceKey: environment.SERVICE_KEY },
        createLog('analytics-export', 'silent'),
      );
      runtime.audit.record = (event) =>
        self().recordEvent?.(event) ?? Promise.resolve(`event ${self().events.push(event)}`);
      services.push(
        await start(readConfig(analyticsExportConfig, environment), runtime, {
          ...exportSettings,
          queuePrefix: `{${redis.prefix}}`,
          ...settings,
        }),
      );
    }
    const storage = new RecordStorage({
      pool,
      kek: await LocalKeyEncryptionKey.fromFile(keyFile),
      objects: objectStorage && (await openObjectStorage({ ...objectStorage, accessKey: () => objectStorage })),
    });
    const test = new ExportUnderTest(services, auth, storage, pool, environment, async () => {
      await Promise.all(services.map((service) => service.stop()));
      await pool.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
      await storage.close();
      await Promise.all([pool.end(), auth.stop()]);
      await database.drop();
      rmSync(folder, { recursive: true });
    });
    return test;
  }

  app(replica = 0): Express {
    return this.services[replica]!.publicApp!;
  }

  newClient(): TestClient {
    const { client_id, client_secret } = this.auth.addClient();
    const credentials = { client_id, client_secret };
    return { ...credentials, headers: { ...credentials, 'x-service-user-id': 'client' } };
  }

  newUser(client: ClientCredentials = this.newClient()): TestUser {
    const userId = ++this.#users;
    return {
      record: this.storage.record(userId, client.client_id),
      bearer: { Authorization: `Bearer ${this.auth.addToken(client.client_id, userId)}` },
    };
  }

  /** @param address a path, or a whole URL of a manifest */
  get(address: string, headers: Record<string, string>, replica = 0): Test {
    return request(this.app(replica)).get(address.replace(analyticsUrl, '')).set(headers);
  }

  /** The response to the status of an export once it is finished. */
  finished(status: string, headers: Record<string, string>): Promise<request.Response> {
    return waitUntil(async () => {
      const answer = await this.get(status, headers);
      return answer.status !== 202 && answer;
    });
  }

  delete(address: string, headers: Record<string, string>): Test {
    return request(this.app()).delete(address.replace(analyticsUrl, '')).set(headers);
  }

  /** @param body a Parameters resource */
  post(address: string, headers: Record<string, string>, body: object): Test {
    return request(this.app()).post(address).set(headers).type('application/fhir+json').send(JSON.stringify(body));
  }

  async manifest(headers: Record<string, string>, query = ''): Promise<ExportManifest> {
    const answer = await this.get(`${exportAddress}${query}`, headers);
    expect([answer.status, answer.text]).toEqual([200, expect.stringMatching(/^\{/)]);
    return answer.body as ExportManifest;
  }

  /** The bytes of a file, unpacked when they came packed. */
  async bytes(file: Pick<ExportedFile, 'url'>, headers: Record<string, string>): Promise<Buffer> {
    const answer = await this.get(file.url, headers).buffer(true).parse(binary);
    expect(answer.status).toBe(200);
    return answer.body as Buffer;
  }

  /** The lines of all the files. */
  async lines(files: readonly ExportedFile[], headers: Record<string, string>): Promise<string[]> {
    const lines: string[] = [];
    for (const file of files) {
      const some = linesOf(await this.bytes(file, headers));
      expect(some).toHaveLength(file.count);
      lines.push(...some);
    }
    return lines;
  }
}

/** Lets supertest hand over the bytes of an answer as they come. */
export function binary(answer: request.Response, done: (error: Error | null, body: Buffer) => void): void {
  const pieces: Buffer[] = [];
  const stream = answer as unknown as NodeJS.ReadableStream;
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  stream.on('end', () => done(null, Buffer.concat(pieces)));
}

/** The lines of NDJSON; every line ends in a line break. */
export function linesOf(ndjson: Buffer): string[] {
  const text = ndjson.toString('utf8');
  expect(text === '' || text.endsWith('\n')).toBe(true);
  return text.split('\n').slice(0, -1);
}

/** Content of a resource whose members are given as JSON text without the braces. */
export function content(members: string): NewContent {
  return { body: { meta: '', members }, index: { terms: [], ranges: [] } };
}

/** Writes new resources of a type, and gives their ids. */
export async function fill(
  record: UserRecord,
  release: Release,
  type: string,
  count: number,
  members = (i: number): string => `"n":${i}`,
): Promise<string[]> {
  const typeCode = typeCodeOf(release, type);
  const changes = Array.from({ length: count }, (_, i) => ({
    typeCode,
    id: randomUUID() as string,
    ...content(members(i)),
  }));
  for (let i = 0; i < count; i += 400) await record.write(changes.slice(i, i + 400));
  return changes.map(({ id }) => id);
}

/** The current lines of a record as every other read gives them. */
export async function currentLines(record: UserRecord, typeCodes: readonly number[]): Promise<string[]> {
  const lines: string[] = [];
  const query = { typeCodes: [...typeCodes], where: { op: 'all' as const }, limit: 1000 };
  let page = await record.search.page(query);
  for (;;) {
    lines.push(...page.matches.map(({ json }) => json.toString('utf8')));
    if (!page.next) return lines;
    page = await record.search.page({ ...query, after: page.next });
  }
}
