import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { redisUsers } from './redis-users';
import { type Service, makeSecrets, services } from './secrets';

/** A Redis as the containers have it: with the file of users alone, and its data in an append-only file. */
const folder = mkdtempSync(join(tmpdir(), 'redis-users-'));
const socket = join(folder, 'socket');
const secrets = makeSecrets((_name, make) => make());
writeFileSync(join(folder, 'users.acl'), `${redisUsers(secrets).join('\n')}\n`);

let server: ChildProcess;
const open: Redis[] = [];

async function start(): Promise<void> {
  const settings = [
    '--port',
    '0',
    '--unixsocket',
    socket,
    '--aclfile',
    join(folder, 'users.acl'),
    '--appendonly',
    'yes',
  ];
  server = spawn('redis-server', [...settings, '--dir', folder], { stdio: 'ignore' });
  await once(server, 'spawn');
}

async function stop(): Promise<void> {
  for (const redis of open.splice(0)) redis.disconnect();
  server.kill();
  await once(server, 'exit');
}

/** The emulation of Redis has neither users nor a file. */
const withRedis = spawnSync('redis-server', ['--version']).status === 0 ? describe : describe.skip;

withRedis('the users of Redis', () => {
  beforeAll(start);
  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true });
  });

  function as(username?: string, password?: string): Redis {
    const redis = new Redis({
      path: socket,
      enableReadyCheck: false,
      ...(username && { username }),
      ...(password && { password }),
    });
    redis.on('error', () => undefined);
    open.push(redis);
    return redis;
  }
  const asService = (service: Service): Redis => as(service, secrets.redisPasswords[service]);
  const worker = (): Redis => asService('ingestion-worker');

  it('transactions and the writes of scripts are there after a restart', async () => {
    const [first, second, third] = ['a', 'b', 'c'].map((name) => `{tributary}:requests:${name}`) as [
      string,
      string,
      string,
    ];
    const before = worker();
    await before.multi().set(first, '1').set(second, '2').exec();
    await before.eval(`redis.call('SET', KEYS[1], '3') redis.call('EXPIRE', KEYS[1], 1000)`, 1, third);
    await stop();
    await start();
    expect(await worker().mget(first, second, third)).toEqual(['1', '2', '3']);
  });

  it.each(['connect-page:session', 'console:session'])('console alone has what its pages keep: %s', async (session) => {
    await asService('console').set(session, 'sealed', 'EX', 1000);
    expect(await asService('console').getdel(session)).toBe('sealed');
    for (const service of services.filter((name) => name !== 'console'))
      await expect(asService(service).get(session)).rejects.toThrow('NOPERM');
  });

  it('nobody is the default user', async () => {
    await expect(as().get('{tributary}:requests:a')).rejects.toThrow('NOAUTH');
    for (const password of ['', 'default', secrets.redisPasswords.auth])
      await expect(as().call('AUTH', 'default', password)).rejects.toThrow('WRONGPASS');
  });
});
