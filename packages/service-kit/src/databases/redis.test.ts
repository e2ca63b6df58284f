import { randomUUID } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TcpProxy, startTcpProxy, testRedis } from '@tributary/test-environment';
import { asHttpError, describeError } from '../api/handle-errors';
import { readConfig, redisConfig } from '../config/read-config';
import { createLog } from '../runtime/log';
import { type RedisClient, openRedis, openWorkerRedis, untilReady } from './redis';
import { isRedisUnavailable } from './unavailable';

/** Only what hangs takes so long. */
const muchLongerMs = 60_000;
/** No reply takes so long on a busy machine. */
const liveness = { intervalMs: 200, replyTimeoutMs: 5_000 };
const log = createLog('test', 'silent');

const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => error,
  );

describe('a Redis that hangs', () => {
  let proxy: TcpProxy;
  let redis: RedisClient;
  beforeEach(async () => {
    proxy = await startTcpProxy(testRedis().url);
  });
  afterEach(async () => {
    redis.disconnect();
    await proxy.close();
  });

  it('fails the commands of requests, then refuses them at once, and serves again when it is back', async () => {
    redis = openRedis(proxy.url, log, liveness);
    await untilReady(redis);
    expect(await outcomeOf(redis.ping())).toBe('done');
    proxy.hang();
    const closed = new Promise((resolve) => redis.once('close', resolve));
    expect(isRedisUnavailable(await outcomeOf(redis.ping()))).toBe(true);
    expect(await outcomeOf(closed)).toBe('done');
    // The connection attempts hang, too: nothing is sent on them.
    for (let call = 0; call < 20; call++) expect(isRedisUnavailable(await outcomeOf(redis.ping()))).toBe(true);
    expect(redis.status).not.toBe('ready');
    proxy.resume();
    await untilReady(redis, muchLongerMs);
    expect(await outcomeOf(redis.ping())).toBe('done');
  });

  it('is noticed by a subscriber that waits for messages', async () => {
    redis = openRedis(proxy.url, log, liveness);
    await untilReady(redis);
    await redis.subscribe('a channel');
    const closed = new Promise((resolve) => redis.once('close', resolve));
    proxy.hang();
    expect(await outcomeOf(closed)).toBe('done');
  });

  it('lets the commands of a worker wait, and its connection be replaced, also one that was never ready', async () => {
    redis = openWorkerRedis(proxy.url, log, liveness);
    await untilReady(redis);
    proxy.hang();
    const replaced = new Promise((resolve) => redis.once('close', resolve));
    const waiting = redis.ping();
    expect(await outcomeOf(replaced)).toBe('done');
    const replacedAgain = new Promise((resolve) => redis.once('close', resolve));
    expect(await outcomeOf(replacedAgain)).toBe('done');
    proxy.resume();
    expect(await outcomeOf(waiting)).toBe('done');
  });
});

describe('the password of Redis', () => {
  const passwords = ['the first password', 'the second password'] as const;
  let administrator: RedisClient;
  let folder: string;
  let file: string;
  const username = `user-${randomUUID()}`;
  const write = (...lines: string[]): void => {
    writeFileSync(`${file}.new`, lines.join('\n'));
    renameSync(`${file}.new`, file);
  };
  const setUser = (...rules: string[]): Promise<unknown> =>
    administrator.call('ACL', 'SETUSER', username, 'on', '~*', '&*', '+@all', ...rules);
  const open = (): RedisClient => {
    const url = Object.assign(new URL(testRedis().url), { username, password: 'a password that is replaced' }).href;
    return openWorkerRedis(
      readConfig(redisConfig, { SANDBOX_MODE: 'true', REDIS_URL: url, REDIS_PASSWORD_FILE: file }),
      log,
    );
  };

  beforeAll(() => {
    administrator = openWorkerRedis(testRedis().url, log);
    folder = mkdtempSync(join(tmpdir(), 'redis-'));
    file = join(folder, 'password');
  });
  afterAll(async () => {
    await administrator.call('ACL', 'DELUSER', username);
    administrator.disconnect();
    rmSync(folder, { recursive: true });
  });

  const answersOf = async (...connections: RedisClient[]): Promise<string[]> => {
    await administrator.call('CLIENT', 'KILL', 'USER', username);
    return Promise.all(connections.map((connection) => connection.ping()));
  };

  it('is replaced without a failed command while connections and their duplicates break', async () => {
    await setUser('resetpass', `>${passwords[0]}`);
    write(passwords[0]);
    const redis = open();
    const duplicate = redis.duplicate();
    expect([await redis.ping(), await duplicate.ping()]).toEqual(['PONG', 'PONG']);
    await setUser(`>${passwords[1]}`);
    write(...passwords);
    expect(await answersOf(redis, duplicate)).toEqual(['PONG', 'PONG']);
    write(passwords[1]);
    expect(await answersOf(redis, duplicate)).toEqual(['PONG', 'PONG']);
    await setUser(`<${passwords[0]}`);
    expect(await answersOf(redis, duplicate)).toEqual(['PONG', 'PONG']);
    redis.disconnect();
    duplicate.disconnect();
  });

  it('is found among several by connections that open, and after Redis has another one', async () => {
    write(...passwords);
    for (const valid of [...passwords, passwords[0]]) {
      await setUser('resetpass', `>${valid}`);
      const redis = open();
      await untilReady(redis, muchLongerMs);
      const duplicate = redis.duplicate().on('error', () => undefined);
      await untilReady(duplicate, muchLongerMs);
      const other = valid === passwords[0] ? passwords[1] : passwords[0];
      await setUser('resetpass', `>${other}`);
      await administrator.call('CLIENT', 'KILL', 'USER', username);
      for (const connection of [redis, duplicate]) {
        // A command that waits while a password is refused fails with the refusal.
        while ((await connection.ping().catch(() => 'refused')) !== 'PONG') continue;
        connection.disconnect();
      }
    }
  });

  it('makes Redis unavailable while it is refused, and does not stand in the log', async () => {
    write(passwords[0]);
    await setUser('resetpass', '>another password');
    const redis = open();
    const reported: unknown[] = [];
    redis.on('error', (error) => reported.push(error));
    const failure = await outcomeOf(redis.ping());
    expect(asHttpError(failure, false)).toMatchObject({ status: 503 });
    expect(isRedisUnavailable(failure)).toBe(true);
    expect(JSON.stringify([failure, ...reported].map(describeError))).not.toContain(passwords[0]);
    await setUser(`>${passwords[0]}`);
    await untilReady(redis, muchLongerMs);
    expect(await redis.ping()).toBe('PONG');
    redis.disconnect();
  });
});
