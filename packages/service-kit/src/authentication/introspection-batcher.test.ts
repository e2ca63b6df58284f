import type { Introspection } from '@tributary/contracts';
import { setTimeout as pause } from 'node:timers/promises';
import { IntrospectionBatcher } from './introspection-batcher';

const live = (token: string): Introspection => ({
  active: true,
  client_id: token,
  mode: 'test',
  scope: 'user',
  expires_at: 1,
});

function batcherOver(introspect: (tokens: readonly string[]) => Promise<Introspection[]>): {
  calls: string[][];
  batcher: IntrospectionBatcher;
} {
  const calls: string[][] = [];
  return {
    calls,
    batcher: new IntrospectionBatcher({
      introspect: (tokens) => {
        calls.push([...tokens]);
        return introspect(tokens);
      },
    }),
  };
}

const slowly = async (tokens: readonly string[]): Promise<Introspection[]> => {
  await pause(20);
  return tokens.map(live);
};

it('sends tokens that are requested together in one call, and each token once', async () => {
  const { calls, batcher } = batcherOver(slowly);
  const tokens = ['a', 'b', 'a', 'c'];
  expect(await Promise.all(tokens.map((token) => batcher.introspect(token)))).toEqual(tokens.map(live));
  expect(calls).toEqual([['a', 'b', 'c']]);
});

it('makes at most two concurrent calls, and sends up to a hundred waiting tokens in the next', async () => {
  let concurrent = 0;
  let maxConcurrent = 0;
  const { calls, batcher } = batcherOver(async (tokens) => {
    maxConcurrent = Math.max(maxConcurrent, ++concurrent);
    const responses = await slowly(tokens);
    concurrent--;
    return responses;
  });
  const tokens = Array.from({ length: 400 }, (_, n) => `token-${n}`);
  const responses: Promise<Introspection>[] = [];
  for (const [n, token] of tokens.entries()) {
    responses.push(batcher.introspect(token));
    if (n < 5) await pause(2);
  }
  expect(await Promise.all(responses)).toEqual(tokens.map(live));
  expect(maxConcurrent).toBe(2);
  expect(calls.length).toBeLessThan(10);
  expect(Math.max(...calls.map(({ length }) => length))).toBe(100);
});

it('rejects every token of a failed call, and continues with the next', async () => {
  let broken = true;
  const { batcher } = batcherOver((tokens) => (broken ? Promise.reject(new Error('auth is away')) : slowly(tokens)));
  const failed = await Promise.allSettled([batcher.introspect('a'), batcher.introspect('b')]);
  expect(failed).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  broken = false;
  expect(await batcher.introspect('a')).toEqual(live('a'));
});

it('refuses requests while ten thousand wait, and no others', async () => {
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const { batcher } = batcherOver((tokens) => held.then(() => tokens.map(live)));
  const waiting = Array.from({ length: 10_000 }, (_, n) => batcher.introspect(`token-${n}`));
  await expect(batcher.introspect('one more')).rejects.toMatchObject({ status: 503 });
  release?.();
  await Promise.all(waiting);
  expect(await batcher.introspect('one more')).toEqual(live('one more'));
});
