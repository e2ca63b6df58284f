import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { databaseConfig } from './database-config';
import { baseUrl, calleeConfig, callerConfig, commonConfig, readConfig, redisConfig } from './read-config';
import { secret } from './secrets';

const schema = z.object({
  ...commonConfig.shape,
  ...databaseConfig.shape,
  ...redisConfig.shape,
  ...callerConfig.shape,
  ...calleeConfig.shape,
  BASE_URL: baseUrl,
  AUTH_INTERNAL_URL: baseUrl,
  PAGE_TOKEN_KEY: secret(16),
  SMTP_URL: secret(1, { pattern: /^smtps?:/, text: 'a mail server' }).optional(),
  KEY_PROVIDER: z.enum(['file', 'vault-transit']).default('file'),
  KEY_PROVIDER_ENDPOINT: z.string().optional(),
  KEY_ENCRYPTION_KEY_FILE: z.string().optional(),
  ALLOWED_ORIGINS: z
    .string()
    .transform((text) => text.split(','))
    .optional(),
});

const folder = mkdtempSync(join(tmpdir(), 'production-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

const password = 'Ohx0mie2aeGh7ohk';
const serviceKey = 'e1Q7bX0vR4mL8cT2wZ5yN9pK3sD6fG1h';
const otherKey = 'u7J2kW9xB4nV6qM1zC8tY3rP5aS0dF7g';
const tokenKey = 'i5H8lO2eU6gI9wA3jE7vT1bN4xR0cK5m';
const kek = 'Yk3vT8pQ1wZ6mB9nX4cL7rD2sF5gH0jK8aE3uI6oP1M=';
const withoutProblem = {
  PORT: '4000',
  INTERNAL_PORT: '4001',
  TLS_CERTIFICATE_FILE: file('tls.crt', 'x'),
  TLS_KEY_FILE: file('tls.key', 'x'),
  TLS_CA_FILE: file('ca.crt', 'x'),
  DATABASE_URL: `postgres://service:${password}@db.example/tributary`,
  DATABASE_CA_FILE: file('database-ca.crt', 'x'),
  REDIS_URL: `rediss://default:ieDai7oe${password}@redis.example`,
  SERVICE_KEY: serviceKey,
  SERVICE_KEYS: JSON.stringify({ worker: [otherKey] }),
  BASE_URL: 'https://api.example',
  AUTH_INTERNAL_URL: 'https://auth:8081',
  PAGE_TOKEN_KEY: tokenKey,
  KEY_PROVIDER_ENDPOINT: 'https://vault.example',
  KEY_ENCRYPTION_KEY_FILE: file('kek', `${kek}\n`),
  ALLOWED_ORIGINS: 'http://localhost:6274',
};

function problemsOf(changed: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(schema, { ...withoutProblem, ...changed });
    return [];
  } catch (error) {
    const [heading, ...lines] = (error as Error).message.split('\n');
    expect(heading).toBe('The configuration cannot be used. Set in the environment:');
    return lines.map((line) => line.trim());
  }
}

const advice = 'or, for development only, SANDBOX_MODE=true, which allows what is not safe';
const url = (of: string, server = 'db.example'): string => `postgres://service:${of}@${server}/tributary`;

describe('without SANDBOX_MODE', () => {
  it('a safe configuration is used', () => {
    expect(problemsOf({})).toEqual([]);
    expect(problemsOf({ SANDBOX_MODE: 'false', REQUIRE_TLS: 'false' })).toEqual([]);
    expect(problemsOf({ DATABASE_CA_FILE: '', DATABASE_URL: `${url(password)}?sslmode=verify-full` })).toEqual([]);
    expect(problemsOf({ KEY_ENCRYPTION_KEY_FILE: '', KEY_PROVIDER: 'vault-transit' })).toEqual([]);
    expect(problemsOf({ MIGRATION_DATABASE_URL: url(password, 'primary.example') })).toEqual([]);
    // A mail server on the own machine needs no password.
    expect(problemsOf({ SMTP_URL: 'smtp://127.0.0.1:25' })).toEqual([]);
    expect(problemsOf({ SMTP_URL: 'http://mail.example' })).toEqual(['SMTP_URL: must be a mail server']);
    expect(problemsOf({ SMTP_URL_FILE: file('smtp', 'smtps://mail.example') })).toEqual([]);
    expect(problemsOf({ SMTP_URL_FILE: file('shown-smtp', 'smtps://mail.example', 0o644) })[0]).toContain(
      'SMTP_URL_FILE: names a file that everybody may read',
    );
  });

  it.each<[string, NodeJS.ProcessEnv, string]>([
    ['a public address', { BASE_URL: 'http://api.example' }, 'BASE_URL: is not encrypted: set an https:// URL'],
    ['an internal address', { AUTH_INTERNAL_URL: 'http://auth' }, 'AUTH_INTERNAL_URL: is not encrypted'],
    ['a key service', { KEY_PROVIDER_ENDPOINT: 'http://vault:8200' }, 'KEY_PROVIDER_ENDPOINT: is not encrypted'],
    ['no certificate', { TLS_CERTIFICATE_FILE: '' }, 'TLS_CERTIFICATE_FILE: is not set'],
    ['no key of the certificate', { TLS_KEY_FILE: '' }, 'TLS_KEY_FILE: is not set'],
    [
      'certificates that are not verified',
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      'NODE_TLS_REJECT_UNAUTHORIZED: lets Node accept any certificate',
    ],
    ['no authority', { TLS_CA_FILE: '' }, 'TLS_CA_FILE: is not set: the service would serve plain HTTP'],
    ['Redis', { REDIS_URL: withoutProblem.REDIS_URL.replace('rediss', 'redis') }, 'REDIS_URL: is not encrypted'],
    ['a database', { DATABASE_CA_FILE: '' }, 'DATABASE_URL: connects without verified TLS'],
    [
      'a database that is not verified',
      { DATABASE_CA_FILE: '', DATABASE_URL: `${url(password)}?sslmode=require` },
      'DATABASE_URL: connects without verified TLS: set DATABASE_CA_FILE, or sslmode=verify-full in the URL',
    ],
    ['a short password', { DATABASE_URL: url('tooshort') }, 'DATABASE_URL: has a password that is shorter than 16'],
    [
      'a default password',
      { DATABASE_URL: url('Tributary_Postgres-1') },
      'DATABASE_URL: has a password that is made of common words',
    ],
    ['a simple password', { DATABASE_URL: url('aaaaaaaabbbbbbbb') }, 'DATABASE_URL: .*fewer than 6 different'],
    [
      'the name of the role',
      { DATABASE_URL: `postgres://${password}:${password}@db.example/x` },
      'DATABASE_URL: has a password that is a name in the URL',
    ],
    ['no password', { DATABASE_URL: 'postgres://service@db.example/x' }, 'DATABASE_URL: has no password'],
    ['no password of Redis', { REDIS_URL: 'rediss://redis.example' }, 'REDIS_URL: has no password'],
    [
      'no password of several servers of Redis',
      { REDIS_URL: 'rediss://one.example,two.example:6380' },
      'REDIS_URL: has no password',
    ],
    ['a short secret', { PAGE_TOKEN_KEY: tokenKey.slice(1) }, 'PAGE_TOKEN_KEY: has a value that is shorter than 32'],
    [
      'a short key of a caller',
      { SERVICE_KEYS: JSON.stringify({ worker: [otherKey, otherKey.slice(1)] }) },
      'SERVICE_KEYS: has a value that is shorter than 32',
    ],
    ['one secret twice', { PAGE_TOKEN_KEY: serviceKey }, 'PAGE_TOKEN_KEY: has the same value as SERVICE_KEY'],
    [
      'one key of two callers',
      { SERVICE_KEYS: JSON.stringify({ worker: otherKey, search: otherKey }) },
      'SERVICE_KEYS: has the same value as the key of worker',
    ],
    [
      'a secret that is a key-encryption key',
      { PAGE_TOKEN_KEY: kek },
      'KEY_ENCRYPTION_KEY_FILE: has the same value as PAGE_TOKEN_KEY',
    ],
    [
      'one password of both databases',
      { REDIS_URL: `rediss://default:${password}@redis.example` },
      'REDIS_URL: has the same value as the password of the database',
    ],
    ['no key-encryption key', { KEY_ENCRYPTION_KEY_FILE: '' }, 'KEY_ENCRYPTION_KEY_FILE: is not set'],
    ['a missing file', { KEY_ENCRYPTION_KEY_FILE: join(folder, 'none') }, 'KEY_ENCRYPTION_KEY_FILE: .*cannot be read'],
    [
      'a file that everybody may change',
      { KEY_ENCRYPTION_KEY_FILE: file('open-kek', `${kek}\n`, 0o606) },
      'KEY_ENCRYPTION_KEY_FILE: names a file that everybody may change',
    ],
    [
      'a key that everybody may read',
      { KEY_ENCRYPTION_KEY_FILE: file('read-kek', `${kek}\n`, 0o604) },
      'KEY_ENCRYPTION_KEY_FILE: names a file that everybody may read: run chmod o-r on it',
    ],
    [
      'a secret file that everybody may change',
      { PAGE_TOKEN_KEY: undefined, PAGE_TOKEN_KEY_FILE: file('open-key', `${tokenKey}\n`, 0o666) },
      'PAGE_TOKEN_KEY_FILE: names a file that everybody may change',
    ],
  ])('%s is refused: %j', (_what, changed, expected) => {
    const problems = problemsOf(changed);
    expect(problems[0]).toMatch(new RegExp(`^${expected}`));
    expect(problems.filter((line) => line !== advice)).toHaveLength(1);
    for (const value of [password, serviceKey, otherKey, tokenKey, kek, 'tooshort'])
      expect(problems.join('\n')).not.toContain(value);
  });

  it('all problems are in one message, also those of missing variables and files', () => {
    const problems = problemsOf({
      BASE_URL: undefined,
      PAGE_TOKEN_KEY: undefined,
      PAGE_TOKEN_KEY_FILE: join(folder, 'none'),
      AUTH_INTERNAL_URL: 'http://auth',
      DATABASE_CA_FILE: undefined,
      DATABASE_URL: url('tributary'),
      REDIS_URL: 'redis://:tributary@redis:6379',
    });
    expect(problems.map((line) => /^\w+/.exec(line)?.[0])).toEqual([
      'PAGE_TOKEN_KEY_FILE',
      'BASE_URL',
      'DATABASE_URL',
      'REDIS_URL',
      'AUTH_INTERNAL_URL',
      'DATABASE_URL',
      'REDIS_URL',
      'REDIS_URL',
      'or',
    ]);
    expect(problems.at(-2)).toBe(
      'REDIS_URL: has the same value as the password of the database: set a value of its own',
    );
    expect(problems.at(-1)).toBe(advice);
  });
});

describe('with SANDBOX_MODE', () => {
  const unsafe = {
    SANDBOX_MODE: 'true',
    BASE_URL: 'http://localhost:4000',
    REDIS_URL: 'redis://localhost',
    DATABASE_URL: url('x'),
    DATABASE_CA_FILE: '',
    TLS_KEY_FILE: '',
    PAGE_TOKEN_KEY: 'sixteen letters!',
  };

  it('a simple configuration is used', () => {
    expect(problemsOf(unsafe)).toEqual([]);
  });

  it('and REQUIRE_TLS only what is not encrypted is refused', () => {
    const names = problemsOf({ ...unsafe, REQUIRE_TLS: 'true' }).map((line) => /^\w+/.exec(line)?.[0]);
    expect(names.sort()).toEqual(['BASE_URL', 'DATABASE_URL', 'REDIS_URL', 'TLS_KEY_FILE']);
  });
});
