import { Redis } from 'ioredis';
import { testRedis } from '.';

test('each test has a separate key prefix in a database of its file, which evicts nothing', async () => {
  const [one, other] = [testRedis(), testRedis()];
  expect(one.url).toBe(other.url);
  expect(Number(new URL(one.url).pathname.slice(1))).toBeGreaterThan(0);
  expect(one.prefix).not.toBe(other.prefix);
  expect(one.prefix).not.toContain(':');

  const client = new Redis(one.url);
  await client.set(`${one.prefix}greeting`, 'hello');
  await expect(client.get(`${one.prefix}greeting`)).resolves.toBe('hello');
  await expect(client.get(`${other.prefix}greeting`)).resolves.toBeNull();
  await expect(client.config('GET', 'maxmemory-policy')).resolves.toEqual(['maxmemory-policy', 'noeviction']);
  await client.quit();
});

test('scripts and subscriptions work', async () => {
  const { url, prefix } = testRedis();
  const [listener, speaker] = [new Redis(url), new Redis(url)];
  await listener.subscribe(`${prefix}news`);
  const heard = new Promise((resolve) => listener.once('message', (_channel, message) => resolve(message)));
  await speaker.eval(`return redis.call('PUBLISH', KEYS[1], ARGV[1])`, 1, `${prefix}news`, 'ready');
  await expect(heard).resolves.toBe('ready');
  await Promise.all([listener.quit(), speaker.quit()]);
});
