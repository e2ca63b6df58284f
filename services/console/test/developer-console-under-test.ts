import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewAuditEvent } from '@tributary/audit-log';
import { RateLimits, createLog, openRedis, readConfig, untilReady } from '@tributary/service-kit';
import { type DatabaseTemplate, createDatabase, testRedis } from '@tributary/test-environment';
import type { Express } from 'express';
import { Secret, TOTP } from 'otpauth';
import type { Pool } from 'pg';
import request, { type Response } from 'supertest';
import { config, vaultConfig } from '../src/config';
import { openConsoleDatabase } from '../src/developer-console/database/open-database';
import { type Dependencies, openDependencies } from '../src/developer-console/dependencies';
import { developerConsole } from '../src/developer-console/developer-console';
import type { Mail } from '../src/developer-console/mail/mails';
import type { Role } from '../src/developer-console/schemas';
import { FakeClients } from './fake-clients';
import { FakeServices } from './fake-services';
import { FakePublicApi } from './fake-public-api';

export const baseUrl = 'https://tributary.test';
export const password = 'plain violet harbour 81';

/** A developer who has signed up, with an authenticator. */
export interface Developer {
  id: string;
  email: string;
  browser: ConsoleBrowser;
  totpSecret: string;
  /** The code that has confirmed the authenticator. */
  usedCode: string;
  recoveryCodes: string[];
}

const silent = createLog('console', 'silent');

const template: DatabaseTemplate = {
  name: 'console',
  migrate: async (url) => {
    const { settings, remove } = databaseSettings(url);
    await (await openConsoleDatabase(readConfig(vaultConfig, settings), silent)).close();
    remove();
  },
};

/** The variables of the database and of a new key-encryption key. */
export function databaseSettings(url: string): { settings: Record<string, string>; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  writeFileSync(join(folder, 'kek'), randomBytes(32).toString('base64'));
  return {
    settings: { DATABASE_URL: url, KEY_ENCRYPTION_KEY_FILE: join(folder, 'kek'), SANDBOX_MODE: 'true' },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** All tests come from one address. */
const usualLimits = 'console-address=off,console-anonymous=off,console-failed-address=off';

/** Two replicas of the developer console on a new database, with fakes of the mail server, auth and the public APIs. */
export class DeveloperConsoleUnderTest {
  readonly sent: Mail[] = [];
  /** Why the mail server refuses. */
  refusal: Error | undefined;
  readonly events: NewAuditEvent[] = [];
  readonly auth = new FakeClients();
  readonly services = new FakeServices(this.auth);
  readonly replicas: { app: Express; dependencies: Dependencies }[] = [];

  private constructor(
    readonly pool: Pool,
    /** The variables of the operator's commands. */
    readonly settings: Record<string, string>,
    readonly api: FakePublicApi,
    readonly stop: () => Promise<void>,
  ) {}

  static async start(limits = usualLimits): Promise<DeveloperConsoleUnderTest> {
    const database = await createDatabase(template);
    const { settings, remove } = databaseSettings(database.url);
    const { pool, keys, close } = await openConsoleDatabase(readConfig(vaultConfig, settings), silent);
    const { url, prefix } = testRedis();
    const redis = openRedis(url, silent);
    await untilReady(redis);
    const { RATE_LIMITS, TRUSTED_PROXIES } = config
      .pick({ RATE_LIMITS: true, TRUSTED_PROXIES: true })
      .parse({ RATE_LIMITS: limits });
    const api = await FakePublicApi.start();
    const started = new DeveloperConsoleUnderTest(pool, settings, api, async () => {
      redis.disconnect();
      await api.stop();
      await close();
      await database.drop();
      remove();
    });
    const record = (event: NewAuditEvent): Promise<string> => Promise.resolve(`event ${started.events.push(event)}`);
    for (let replica = 0; replica < 2; replica++) {
      const dependencies = openDependencies({
        baseUrl,
        pool,
        keys,
        auth: started.auth,
        apis: {
          base: api.below('/base'),
          auth: api.below('/auth'),
          analytics: api.below('/analytics'),
          search: api.below('/search'),
        },
        operator: started.services,
        sendMail: async (mail) => {
          await Promise.resolve();
          if (started.refusal) throw started.refusal;
          started.sent.push(mail);
        },
        rateLimits: new RateLimits(redis, RATE_LIMITS, prefix),
        trustedProxies: TRUSTED_PROXIES,
        audit: {
          trail: { record, recordRefused: async (event) => void (await record(event)), count: () => undefined },
          trustedProxies: TRUSTED_PROXIES,
        },
        log: silent,
      });
      started.replicas.push({ dependencies, app: developerConsole(dependencies) });
    }
    return started;
  }

  get dependencies(): Dependencies {
    return this.replicas[0]!.dependencies;
  }

  browser(replica = 0): ConsoleBrowser {
    return new ConsoleBrowser(this.replicas[replica]!.app);
  }

  /** The mails to an address so far. */
  async mailsTo(email: string): Promise<Mail[]> {
    while ((await this.dependencies.outbox.sendDue()) > 0);
    return this.sent.filter(({ to }) => to === email);
  }

  /** The token of the last mail to an address. */
  async tokenTo(email: string): Promise<string> {
    const text = (await this.mailsTo(email)).at(-1)?.text ?? '';
    return /#token=([\w-]+)/.exec(text)?.[1] ?? '';
  }

  /** Signs up, and verifies the address. @returns the address */
  async newAccount(email = newEmail()): Promise<string> {
    const browser = this.browser();
    expect((await browser.post('sign-up', { email, password, name: 'Ada Hart' })).status).toBe(202);
    expect((await browser.post('verify-email', { token: await this.tokenTo(email), password })).status).toBe(200);
    await browser.post('sign-out');
    return email;
  }

  /** A developer who is signed in with a second factor. */
  async newDeveloper(): Promise<Developer> {
    const email = await this.newAccount();
    const browser = this.browser();
    expect((await browser.post('sign-in', { email, password })).body.next).toBe('enrol_second_factor');
    const { secret } = (await browser.post('account/totp')).body;
    const usedCode = codeOf(secret);
    const enrolled = await browser.post('account/totp/confirm', { code: usedCode });
    expect(enrolled.status).toBe(200);
    const { id } = (await browser.get('account')).body;
    return { id, email, browser, totpSecret: secret, usedCode, recoveryCodes: enrolled.body.recovery_codes };
  }

  /** A developer who is an operator, too. */
  async newOperator(): Promise<Developer> {
    const developer = await this.newDeveloper();
    await this.pool.query('UPDATE account SET operator_since = now() WHERE id = $1', [developer.id]);
    return developer;
  }

  /** A developer of each role in one organisation, and a stranger. */
  async newTeam(): Promise<{ organisation: string; people: Record<Role | 'stranger', Developer> }> {
    const people = {
      owner: await this.newDeveloper(),
      developer: await this.newDeveloper(),
      read_only: await this.newDeveloper(),
      stranger: await this.newDeveloper(),
    };
    const organisation = String((await people.owner.browser.post('organisations', { name: 'Better Sleep' })).body.id);
    for (const role of ['developer', 'read_only'] as const) await this.join(organisation, people[role], role);
    return { organisation, people };
  }

  async join(organisation: string, { id }: Developer, role: Role): Promise<void> {
    const sql = 'INSERT INTO membership (organisation_id, account_id, role) VALUES ($1, $2, $3)';
    await this.pool.query(sql, [organisation, id, role]);
  }

  /** A code that works, although the current one was used. */
  async newCode({ id, totpSecret }: Developer): Promise<string> {
    await this.pool.query('UPDATE account SET totp_last_step = NULL WHERE id = $1', [id]);
    return codeOf(totpSecret);
  }

  /** Signs a developer in with another browser. */
  async signIn(developer: Developer, replica = 0): Promise<ConsoleBrowser> {
    const browser = this.browser(replica);
    expect((await browser.post('sign-in', { email: developer.email, password })).status).toBe(200);
    expect((await browser.post('sign-in/totp', { code: await this.newCode(developer) })).status).toBe(200);
    return browser;
  }
}

export function newEmail(): string {
  return `${randomBytes(6).toString('hex')}@example.org`;
}

/** @param steps of 30 s from now */
export function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
}

/** A browser at the console, with its cookie. */
export class ConsoleBrowser {
  cookie: string | undefined;

  constructor(private readonly app: Express) {}

  get(path: string): Promise<Response> {
    return this.send('get', path);
  }

  post(path: string, body: object = {}, headers: Record<string, string> = { Origin: baseUrl }): Promise<Response> {
    return this.send('post', path, body, headers);
  }

  patch(path: string, body: object): Promise<Response> {
    return this.send('patch', path, body);
  }

  delete(path: string): Promise<Response> {
    return this.send('delete', path);
  }

  async send(
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    body?: object,
    headers: Record<string, string> = { Origin: baseUrl },
  ): Promise<Response> {
    const sent = request(this.app)[method](`/console/api/v1/${path}`).set(headers);
    if (this.cookie !== undefined) void sent.set('Cookie', this.cookie);
    const response = await (body === undefined ? sent : sent.send(body));
    for (const line of (response.headers['set-cookie'] as unknown as string[] | undefined) ?? [])
      [this.cookie] = line.split(';');
    return response;
  }
}
