import { randomBytes } from 'node:crypto';
import type { NewAuditEvent } from '@tributary/audit-log';
import { type DatabaseTemplate, createDatabase, testRedis } from '@tributary/test-environment';
import {
  type RedisClient,
  type DatabaseConfig,
  createLog,
  databaseConfig,
  openRedis,
  poolOf,
  untilReady,
  ServiceKeys,
} from '@tributary/service-kit';
import type { Express } from 'express';
import type { Pool } from 'pg';
import request, { type Test } from 'supertest';
import { createApps } from '../src/app';
import { authConfig } from '../src/config';
import { ClientApplications, type ClientKeys, type ClientWithSecret } from '../src/clients/client-applications';
import { newClientId, newClientSecret } from '../src/clients/client-credentials';
import { openAuthDatabase } from '../src/database/auth-database';
import { RevocationOutbox } from '../src/revocation/revocation-outbox';

const template: DatabaseTemplate = {
  name: 'auth',
  migrate: async (url) => (await openAuthDatabase(url)).destroy(),
};

export const authUrl = 'https://auth.example.org';
export const callingService = { name: 'user-management', key: 'key-of-user-management' };
export const consoleService = { name: 'console', key: 'key-of-console' };

/** Returns a random user id; tests share one Redis channel, so each uses its own users. */
export function anyUser(): number {
  return 1 + randomBytes(6).readUIntBE(0, 6);
}

const limitConfig = authConfig.pick({ TRUSTED_PROXIES: true, RATE_LIMITS: true });

/** Most tests send many wrong credentials from one address. */
const manyFailures = 'failed-pair=100000/60,failed-address=100000/60';

/** Two replicas of the service with a database of their own, and the requests that tests repeat. */
export class AuthUnderTest {
  private constructor(
    readonly databaseUrl: string,
    readonly pool: Pool,
    readonly redis: RedisClient,
    readonly clients: ClientApplications,
    readonly replicas: { publicApp: Express; internalApp: Express }[],
    /** What the audit log has recorded, and what it has recorded as refused. */
    readonly audit: { events: NewAuditEvent[]; refused: NewAuditEvent[] },
    readonly stop: () => Promise<void>,
  ) {}

  /**
   * @param options.database a database that the test creates and drops; by default a new one
   * @param options.authUrl the issuer, for tests whose clients compare it with the address that they call
   */
  static async start(
    options: {
      sandboxMode?: boolean;
      database?: DatabaseConfig;
      authUrl?: string;
      /** RATE_LIMITS; empty for the defaults. */
      limits?: string;
      redisUrl?: string;
    } = {},
  ): Promise<AuthUnderTest> {
    const database = options.database ? undefined : await createDatabase(template);
    const config = options.database ?? databaseConfig.parse({ DATABASE_URL: database?.url });
    const source = await openAuthDatabase(config);
    const pool = poolOf(source);
    const log = createLog('auth', 'silent');
    const { url, prefix } = testRedis();
    const redis = openRedis(options.redisUrl ?? url, log);
    await untilReady(redis);
    const outbox = new RevocationOutbox(pool, redis, log);
    outbox.start();
    const [events, refused]: [NewAuditEvent[], NewAuditEvent[]] = [[], []];
    const dependencies = {
      source,
      outbox,
      audit: {
        record: (event: NewAuditEvent) => Promise.resolve(`event ${events.push(event)}`),
        recordRefused: (event: NewAuditEvent) => Promise.resolve(void refused.push(event)),
        count: () => undefined,
      },
      log,
      redis,
      config: {
        ...limitConfig.parse({ RATE_LIMITS: options.limits ?? manyFailures }),
        AUTH_URL: options.authUrl ?? authUrl,
        SERVICE_KEYS: ServiceKeys.of({
          [callingService.name]: callingService.key,
          [consoleService.name]: consoleService.key,
        }),
        SANDBOX_MODE: options.sandboxMode ?? false,
        REFRESH_TOKEN_MAX_DAYS: 365,
      },
      limitsPrefix: prefix,
    };
    const replicas = [createApps(dependencies), createApps(dependencies)];
    const clients = new ClientApplications(source);
    const audit = { events, refused };
    return new AuthUnderTest(config.DATABASE_URL, pool, redis, clients, replicas, audit, async () => {
      await outbox.stop();
      redis.disconnect();
      await source.destroy();
      await database?.drop();
    });
  }

  get publicApp(): Express {
    return this.replicas[0]!.publicApp;
  }

  client(name = 'Diary', keys?: ClientKeys): Promise<ClientWithSecret> {
    return this.clients.create({
      name,
      mode: 'test',
      redirectUris: ['https://diary.example.org/back'],
      credentials: { clientId: newClientId('test'), clientSecret: newClientSecret('test') },
      jwks: keys?.jwks,
      jwksUrl: keys?.jwks_url,
    });
  }

  /** Posts a form to the public API. */
  post(path: string, form: Record<string, string>, replica = 0): Test {
    return request(this.replicas[replica]!.publicApp).post(path).type('form').send(form);
  }

  internal(method: 'get' | 'post' | 'delete', path: string, body?: object, { name, key } = callingService): Test {
    const call = request(this.replicas[0]!.internalApp)[method](path).auth(name, key);
    return body ? call.send(body) : call;
  }

  async code(client: ClientWithSecret, serviceUserId: number): Promise<string> {
    const answer = await this.internal('post', '/internal/v1/codes', {
      client_id: client.client_id,
      service_user_id: serviceUserId,
    });
    expect(answer.status).toBe(200);
    return String(answer.body.code);
  }

  exchange(client: ClientWithSecret, code: string, replica = 0): Test {
    return this.post('/oauth2/token', { ...credentials(client), grant_type: 'authorization_code', code }, replica);
  }

  refresh(client: ClientWithSecret, refreshToken: string, replica = 0): Test {
    return this.post(
      '/oauth2/token',
      { ...credentials(client), grant_type: 'refresh_token', refresh_token: refreshToken },
      replica,
    );
  }

  /** Issues and redeems a code; by default for a new user. */
  async tokens(
    client: ClientWithSecret,
    serviceUserId = anyUser(),
  ): Promise<{ access_token: string; refresh_token: string }> {
    const answer = await this.exchange(client, await this.code(client, serviceUserId));
    expect(answer.status).toBe(200);
    return answer.body as { access_token: string; refresh_token: string };
  }

  async isActive(accessToken: string): Promise<boolean> {
    const answer = await this.internal('post', '/internal/v1/tokens/introspect', { tokens: [accessToken] });
    expect(answer.status).toBe(200);
    return Boolean(answer.body.tokens[0].active);
  }
}

export function credentials({ client_id, client_secret }: ClientWithSecret): {
  client_id: string;
  client_secret: string;
} {
  return { client_id, client_secret };
}
