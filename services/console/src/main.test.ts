import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createDatabase, testRedis } from '@tributary/test-environment';
import { readConfig } from '@tributary/service-kit';
import { databaseSettings } from '../test/developer-console-under-test';
import { config } from './config';

const program = (name: string): string => join(__dirname, '..', 'dist', `${name}.js`);

describe('the built service', () => {
  let environment: Record<string, string>;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    const database = await createDatabase();
    const { settings, remove: removeKey } = databaseSettings(database.url);
    const url = 'http://127.0.0.1:9';
    environment = {
      ...settings,
      PATH: process.env['PATH'] ?? '',
      REDIS_URL: testRedis().url,
      PORT: '0',
      INTERNAL_PORT: '0',
      HOST: '127.0.0.1',
      SERVICE_KEY: 'key-of-the-console',
      BASE_URL: 'http://tributary.test',
      AUTH_URL: 'http://auth.tributary.test',
      SEARCH_URL: 'http://search.tributary.test',
      ANALYTICS_URL: 'http://analytics.tributary.test',
      AUTH_INTERNAL_URL: url,
      SEARCH_INTERNAL_URL: url,
      USER_MANAGEMENT_INTERNAL_URL: url,
      FHIR_STORE_INTERNAL_URL: url,
      ANALYTICS_EXPORT_INTERNAL_URL: url,
      INGESTION_WORKER_INTERNAL_URL: url,
      AUDIT_LOG_INTERNAL_URL: url,
      MCP_SERVER_INTERNAL_URL: url,
      DOCUMENTATION_INTERNAL_URL: url,
      API_URL: url,
      SEARCH_API_URL: url,
      AUTH_API_URL: url,
      ANALYTICS_API_URL: url,
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'Tributary <no-reply@example.org>',
    };
    remove = async () => {
      await database.drop();
      removeKey();
    };
  });
  afterAll(() => remove());

  it.each([
    ['SMTP_URL', 'http://mail.example.org'],
    ['SMTP_URL', 'smtps://mail.example.org?tls.rejectUnauthorized=false'],
    ['SMTP_URL', 'smtps://me:100%@mail.example.org'],
    ['MAIL_FROM', 'nobody'],
  ])('needs a mail server, with TLS or STARTTLS, and a sender: %s=%s', (name, value) => {
    const read = (changed: object): unknown => readConfig(config, { ...environment, ...changed });
    expect(() => read({ [name]: value })).toThrow(name);
    expect(() => read({ [name]: value })).not.toThrow('mail.example.org');
    expect(() => read({})).not.toThrow();
  });

  it('does not start without a mail server, and says so', () => {
    const { status, stderr } = spawnSync(process.execPath, [program('main')], {
      env: { ...environment, SMTP_URL: '' },
      encoding: 'utf8',
    });
    expect([status, stderr.includes('SMTP_URL')]).toEqual([1, true]);
  });

  it('serves the connect pages and the developer console on one port', async () => {
    const migrated = spawnSync(process.execPath, [program('admin'), 'schema', 'migrate'], {
      env: environment,
      encoding: 'utf8',
    });
    expect(migrated.stdout).toContain('the schema console is at version');
    const child = spawn(process.execPath, [program('main')], { env: environment });
    try {
      const url = `http://127.0.0.1:${await portOf(child)}`;
      const api = await fetch(`${url}/console/api/v1/account`);
      expect([api.status, await api.json()]).toEqual([401, expect.objectContaining({ error_code: 'not_signed_in' })]);
      expect((await fetch(`${url}/console/openapi.json`)).status).toBe(200);
      const console = await fetch(`${url}/console/clients`);
      expect(await console.text()).toContain('"analytics_url":"http://analytics.tributary.test"');
      const page = await fetch(`${url}/connect`, { headers: { Accept: 'text/html' } });
      expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
      expect((await fetch(`${url}/consoles`, { headers: { Accept: 'text/html' } })).headers.get('content-type')).toBe(
        'text/html; charset=utf-8',
      );
    } finally {
      child.kill();
      await new Promise((resolve) => child.once('exit', resolve));
    }
  });
});

/** @throws Error when the process ends before it listens */
async function portOf({ stdout }: ChildProcessWithoutNullStreams): Promise<number> {
  for await (const line of createInterface({ input: stdout })) {
    const { msg, port } = JSON.parse(line) as { msg: string; port: number };
    if (msg !== 'serving') continue;
    stdout.resume();
    return port;
  }
  throw new Error('the service does not start');
}
