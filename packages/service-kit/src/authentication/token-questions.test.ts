import type { Introspection } from '@tributary/contracts';
import { setTimeout as pause } from 'node:timers/promises';
import { TokenQuestions } from './token-questions';

const live = (token: string): Introspection => ({ active: true, client_id: token, scope: 'user', expires_at: 1 });

function questions(introspect: (tokens: readonly string[]) => Promise<Introspection[]>): {
  calls: string[][];
  ask: TokenQuestions;
} {
  const calls: string[][] = [];
  return {
    calls,
    ask: new TokenQuestions({
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

it('asks about what comes together in one call, and about each token once', async () => {
  const { calls, ask } = questions(slowly);
  const tokens = ['a', 'b', 'a', 'c'];
  expect(await Promise.all(tokens.map((token) => ask.ask(token)))).toEqual(tokens.map(live));
  expect(calls).toEqual([['a', 'b', 'c']]);
});

it('asks in at most two calls at once, and then for all that waited, up to a hundred', async () => {
  let atOnce = 0;
  let most = 0;
  const { calls, ask } = questions(async (tokens) => {
    most = Math.max(most, ++atOnce);
    const answers = await slowly(tokens);
    atOnce--;
    return answers;
  });
  const tokens = Array.from({ length: 400 }, (_, n) => `token-${n}`);
  const answers: Promise<Introspection>[] = [];
  for (const [n, token] of tokens.entries()) {
    answers.push(ask.ask(token));
    if (n < 5) await pause(2);
  }
  expect(await Promise.all(answers)).toEqual(tokens.map(live));
  expect(most).toBe(2);
  expect(calls.length).toBeLessThan(10);
  expect(Math.max(...calls.map(({ length }) => length))).toBe(100);
});

it('tells all who waited for a call that it failed, and goes on', async () => {
  let broken = true;
  const { ask } = questions((tokens) => (broken ? Promise.reject(new Error('auth is away')) : slowly(tokens)));
  const failed = await Promise.allSettled([ask.ask('a'), ask.ask('b')]);
  expect(failed).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  broken = false;
  expect(await ask.ask('a')).toEqual(live('a'));
});
