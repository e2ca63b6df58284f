import type { Introspection } from '@tributary/contracts';
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

const atOnce = async (tokens: readonly string[]): Promise<Introspection[]> => tokens.map(live);

it('sends tokens that are requested together in one call, and each token once', async () => {
  const { calls, batcher } = batcherOver(atOnce);
  const tokens = ['a', 'b', 'a', 'c'];
  expect(await Promise.all(tokens.map((token) => batcher.introspect(token)))).toEqual(tokens.map(live));
  expect(calls).toEqual([['a', 'b', 'c']]);
});

it('makes at most two concurrent calls, and sends up to a hundred waiting tokens in the next', async () => {
  const answers: (() => void)[] = [];
  const { calls, batcher } = batcherOver(
    (tokens) => new Promise((resolve) => answers.push(() => resolve(tokens.map(live)))),
  );
  const tokens = Array.from({ length: 302 }, (_, n) => `token-${n}`);
  const responses: Promise<Introspection>[] = [];
  for (const [n, token] of tokens.entries()) {
    responses.push(batcher.introspect(token));
    // The first two are sent alone.
    if (n < 2) await new Promise(setImmediate);
  }
  await new Promise(setImmediate);
  const sizes = (): number[] => calls.map(({ length }) => length);
  expect(sizes()).toEqual([1, 1]);
  for (const expected of [
    [1, 1, 100],
    [1, 1, 100, 100],
    [1, 1, 100, 100, 100],
  ]) {
    answers.shift()?.();
    await new Promise(setImmediate);
    expect(sizes()).toEqual(expected);
  }
  for (const answer of answers) answer();
  expect(await Promise.all(responses)).toEqual(tokens.map(live));
});

it('rejects every token of a failed call, and continues with the next', async () => {
  let broken = true;
  const { batcher } = batcherOver((tokens) => (broken ? Promise.reject(new Error('auth is away')) : atOnce(tokens)));
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
