import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificates } from '@tributary/certificates';
import { Redis } from 'ioredis';
import { startRedis, type RunningRedis } from '.';
import { pretendLauncherDied } from '../test/abandoned-server';
import { findRedisProgram } from './redis-program';
import { connectionError } from './redis-ping';

const path = process.env['PATH'];
const external = process.env['REDIS_URL'];
const running: RunningRedis[] = [];
let workplace: string;

beforeEach(async () => {
  workplace = await mkdtemp(join(tmpdir(), 'tributary-local-redis-'));
  delete process.env['REDIS_URL'];
});

afterEach(async () => {
  process.env['PATH'] = path;
  if (external !== undefined) process.env['REDIS_URL'] = external;
  jest.restoreAllMocks();
  await Promise.all(running.splice(0).map((redis) => redis.stop()));
  await rm(workplace, { recursive: true, force: true });
});

async function start(options?: Parameters<typeof startRedis>[0]): Promise<RunningRedis> {
  const redis = await startRedis(options);
  running.push(redis);
  return redis;
}

async function ask(url: string, ...command: [string, ...string[]]): Promise<unknown> {
  const client = new Redis(url);
  try {
    return await client.call(...command);
  } finally {
    client.disconnect();
  }
}

function withoutPassword(url: string): string {
  return `redis://127.0.0.1:${new URL(url).port}`;
}

const program = findRedisProgram();
const withProgram = program.kind === 'emulation' ? describe.skip : describe;

withProgram(
  `startRedis with the server on the PATH${program.kind === 'emulation' ? ' (skipped: there is none)' : ''}`,
  () => {
    test('listens on 127.0.0.1 only, requires the password, and evicts nothing', async () => {
      const redis = await start();
      expect(redis.kind).toBe(program.kind);
      await expect(ask(redis.url, 'CONFIG', 'GET', 'maxmemory-policy')).resolves.toEqual([
        'maxmemory-policy',
        'noeviction',
      ]);
      await expect(ask(redis.url, 'CONFIG', 'GET', 'bind')).resolves.toEqual(['bind', '127.0.0.1']);
      await expect(connectionError(withoutPassword(redis.url))).resolves.toMatch('NOAUTH');
      await redis.stop();
      await redis.stop();
      await expect(connectionError(redis.url)).resolves.toMatch('ECONNREFUSED');
    });

    test('accepts only encrypted connections with a certificate', async () => {
      const { authority, certificates } = await issueCertificates({ redis: ['127.0.0.1'] });
      const files = { certificate: 'redis.crt', key: 'redis.key', authority: 'ca.crt' };
      const contents = { ...certificates.redis, authority };
      for (const name of ['certificate', 'key', 'authority'] as const)
        await writeFile((files[name] = join(workplace, files[name])), contents[name]);
      const redis = await start({ tls: files });
      expect(redis.url).toMatch(/^rediss:/);
      await expect(connectionError(redis.url, { ca: authority })).resolves.toBeUndefined();
      await expect(connectionError(redis.url, { ca: authority, maxVersion: 'TLSv1.1' })).resolves.toBeDefined();
      await expect(connectionError(redis.url)).resolves.toMatch(/certificate/);
      await expect(connectionError(redis.url.replace('rediss:', 'redis:'))).resolves.toBeDefined();
    });

    test('keeps data and password from one start to the next in a data directory', async () => {
      const dataDirectory = join(workplace, 'a "quoted" directory');
      const first = await start({ dataDirectory });
      await ask(first.url, 'SET', 'greeting', 'hello');
      await first.stop();
      const second = await start({ dataDirectory, port: Number(new URL(first.url).port) });
      expect(second.url).toBe(first.url);
      await expect(ask(second.url, 'GET', 'greeting')).resolves.toBe('hello');
      await second.stop();
      await expect(readdir(dataDirectory)).resolves.toEqual(['appendonlydir', 'redis-password', 'redis.log']);
    });

    test('refuses a directory in use, but stops a server whose parent process has died', async () => {
      const first = await start({ dataDirectory: workplace });
      await expect(startRedis({ dataDirectory: workplace })).rejects.toThrow(`in use: process ${process.pid}`);
      await pretendLauncherDied(workplace);
      const second = await start({ dataDirectory: workplace, port: Number(new URL(first.url).port) });
      await expect(ask(second.url, 'PING')).resolves.toBe('PONG');
    });
  },
);

describe('startRedis without a server on the PATH', () => {
  test('is not used where TLS is asked for', async () => {
    process.env['PATH'] = workplace;
    const tls = { certificate: 'redis.crt', key: 'redis.key', authority: 'ca.crt' };
    await expect(startRedis({ tls })).rejects.toThrow('The emulation of Redis has no TLS. To install the real one: ');
  });

  test('warns about its emulation, which listens on this machine only and requires the password', async () => {
    process.env['PATH'] = workplace;
    const notice = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const redis = await start({ dataDirectory: workplace });
    expect(redis.kind).toBe('emulation');
    expect(notice).toHaveBeenCalledWith(expect.stringMatching(/EMULATION[^]*keeps nothing on disk[^]*install/));

    await expect(ask(redis.url, 'EVAL', 'return redis.call("INCRBY", KEYS[1], 3)', '1', 'visits')).resolves.toBe(3);
    await expect(connectionError(withoutPassword(redis.url))).resolves.toMatch('NOAUTH');
    const elsewhere = Object.values(networkInterfaces())
      .flat()
      .find((network) => network?.family === 'IPv4' && !network.internal);
    if (elsewhere)
      await expect(connectionError(redis.url.replace('127.0.0.1', elsewhere.address))).resolves.toMatch('ECONNREFUSED');

    const open = new Redis(redis.url, { retryStrategy: () => null });
    open.on('error', () => undefined);
    await open.ping();
    const cut = new Promise<void>((resolve) => open.once('close', resolve));
    await redis.stop();
    await cut;
    await expect(connectionError(redis.url)).resolves.toMatch('ECONNREFUSED');
  });

  test('uses valkey-server when there is no redis-server', async () => {
    await writeFile(join(workplace, 'valkey-server'), '', { mode: 0o755 });
    process.env['PATH'] = workplace;
    expect(findRedisProgram()).toMatchObject({ kind: 'valkey', executable: join(workplace, 'valkey-server') });
  });
});

test('the Redis of REDIS_URL is used and left running', async () => {
  const own = await start();
  process.env['REDIS_URL'] = own.url;
  const redis = await startRedis();
  expect(redis).toMatchObject({ url: own.url, kind: 'external' });
  await redis.stop();
  await expect(ask(own.url, 'PING')).resolves.toBe('PONG');
});

test('fails when the server of REDIS_URL is not reachable', async () => {
  const gone = await start();
  await gone.stop();
  process.env['REDIS_URL'] = gone.url;
  await expect(startRedis()).rejects.toThrow(/REDIS_URL cannot be used: .*ECONNREFUSED/);
});

test('reports a port that is in use', async () => {
  const occupant = createServer();
  const port = await new Promise<number>((resolve) => {
    occupant.listen(0, '127.0.0.1', () => resolve((occupant.address() as { port: number }).port));
  });
  await expect(startRedis({ port })).rejects.toThrow(`port ${port} of 127.0.0.1 is taken`);
  await new Promise((resolve) => occupant.close(resolve));
});
