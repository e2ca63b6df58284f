import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tokenRevocationChannel } from '@tributary/contracts';
import { Redis } from 'ioredis';

interface Running {
  environments: Record<string, Record<string, string>>;
}

const home = process.env['JOURNEY_HOME'];
const environments = home
  ? (JSON.parse(readFileSync(join(home, 'running.json'), 'utf8')) as Running).environments
  : undefined;
const url = environments?.['auth']?.['REDIS_URL'];
/** The emulation of Redis and a server of REDIS_URL have one user. */
const hasUsers = url !== undefined && new URL(url).username === 'auth' && url.startsWith('redis:');

(hasUsers ? describe : describe.skip)('the users of Redis', () => {
  const open: Redis[] = [];
  afterAll(() => {
    for (const redis of open) redis.disconnect();
  });

  function as(service: string): Redis {
    const { REDIS_URL = '', REDIS_PASSWORD = '' } = environments?.[service] ?? {};
    const withPassword = new URL(REDIS_URL);
    withPassword.password = REDIS_PASSWORD;
    const redis = new Redis(withPassword.href, { maxRetriesPerRequest: 1 });
    open.push(redis);
    return redis;
  }

  /** The runner of the suite, which is the default user. */
  function asRunner(): Redis {
    const redis = new Redis(Number(new URL(url ?? '').port), '127.0.0.1', {
      password: readFileSync(join(home ?? '', 'redis', 'redis-password'), 'utf8'),
    });
    open.push(redis);
    return redis;
  }

  it('have let the services do all that they tried', async () => {
    const log = (await asRunner().call('ACL', 'LOG')) as unknown[][];
    expect(log.map((entry) => entry.slice(2, 10))).toEqual([]);
  });

  const marker = randomUUID();
  const jobs = `{tributary}:collection:${marker}`;
  it.each([
    ['search', 'reads the queue of collections', ['HGETALL', jobs]],
    ['fhir-store', 'adds to the queue of collections', ['LPUSH', jobs, 'x']],
    ['audit-log', 'adds by a script', ['EVAL', "return redis.call('LPUSH', KEYS[1], 'x')", '1', jobs]],
    ['audit-log', 'adds by a script that names no key', ['EVAL', `return redis.call('LPUSH', '${jobs}', 'x')`, '0']],
    ['ingestion-worker', 'reads exports', ['GET', '{tributary}:export-planning:1']],
    ['user-management', 'takes the permits of a host', ['DEL', '{tributary}:requests:host']],
    ['search', 'announces a revocation', ['PUBLISH', tokenRevocationChannel, '{}']],
    ['auth', 'listens to another channel', ['SUBSCRIBE', 'others']],
    ['mcp-server', 'lists keys', ['KEYS', '*']],
    ['mcp-server', 'reads a session of the connect pages', ['GET', 'connect-page:1']],
    ['console', 'reads the queue of collections', ['HGETALL', jobs]],
    ['search', 'lists keys one after the other', ['SCAN', '0']],
    ['user-management', 'learns the name of any key', ['RANDOMKEY']],
    ['search', 'adds functions for all', ['FUNCTION', 'FLUSH']],
    ['search', 'learns the names of keys that others change', ['CLIENT', 'TRACKING', 'ON', 'BCAST']],
    ['analytics-export', 'deletes everything', ['FLUSHALL']],
    ['ingestion-worker', 'reads the configuration', ['CONFIG', 'GET', '*']],
    ['user-management', 'reads the passwords', ['ACL', 'LIST']],
  ] as const)('do not let %s do what it has no need of: it %s', async (service, _what, [command, ...words]) => {
    await expect(as(service).call(command, ...words)).rejects.toThrow(/NOPERM|can't access/);
  });

  it('have passwords of their own', async () => {
    const passwords = Object.values(environments ?? {}).map((variables) => variables['REDIS_PASSWORD']);
    expect(new Set(passwords).size).toBe(passwords.length);
  });
});
