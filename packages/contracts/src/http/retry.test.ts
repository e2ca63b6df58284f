import { backoffMs, exponentialDelayMs, withJitter, withRetries } from './retry';

const policy = { firstPauseMs: 1, maxPauseMs: 4 };
const isRetryable = (error: unknown): boolean => (error as Error).message === 'temporary';

function failing(times: number, message = 'temporary'): { attempts: () => number; operation: () => Promise<string> } {
  let attempts = 0;
  return {
    attempts: () => attempts,
    operation: () => (++attempts > times ? Promise.resolve('done') : Promise.reject(new Error(message))),
  };
}

it('repeats an operation until it succeeds', async () => {
  const { operation, attempts } = failing(5);
  expect(await withRetries(policy, operation, { isRetryable })).toBe('done');
  expect(attempts()).toBe(6);
});

it('throws the error that is not retryable, and the last one when attempts or time run out', async () => {
  const lasting = failing(9, 'lasting');
  await expect(withRetries(policy, lasting.operation, { isRetryable })).rejects.toThrow('lasting');
  const limited = failing(9);
  await expect(withRetries({ ...policy, maxAttempts: 3 }, limited.operation, { isRetryable })).rejects.toThrow(
    'temporary',
  );
  const slow = failing(9);
  const hour = { firstPauseMs: 3_600_000, maxPauseMs: 3_600_000, maxElapsedMs: 1_800_000 };
  await expect(withRetries(hour, slow.operation, { isRetryable })).rejects.toThrow('temporary');
  expect([lasting.attempts(), limited.attempts(), slow.attempts()]).toEqual([1, 3, 1]);
});

it('ends a pause with the reason of the signal', async () => {
  const abort = new AbortController();
  const { operation } = failing(9);
  const hour = { firstPauseMs: 3_600_000, maxPauseMs: 3_600_000 };
  const result = withRetries(hour, operation, { isRetryable, signal: abort.signal });
  setImmediate(() => abort.abort(new Error('enough')));
  await expect(result).rejects.toThrow('enough');
});

it('doubles the pause up to its limit, with jitter of half of it', () => {
  const seconds = { firstPauseMs: 1000, maxPauseMs: 4000 };
  for (const [failures, expected] of [1000, 2000, 4000, 4000, 4000].entries()) {
    const pauseMs = backoffMs(seconds, failures + 1);
    expect(pauseMs).toBeGreaterThanOrEqual(expected * 0.5);
    expect(pauseMs).toBeLessThanOrEqual(expected * 1.5);
  }
});

it('multiplies a delay by its factor up to its limit', () => {
  const delay = { firstMs: 5_000, factor: 4, maxMs: 100_000 };
  expect([1, 2, 3, 4, 5].map((failures) => exponentialDelayMs(delay, failures))).toEqual([
    5_000, 20_000, 80_000, 100_000, 100_000,
  ]);
});

it('varies a delay by a share of it in both directions', () => {
  expect([0, 0.5, 1].map((random) => withJitter(1001, 0.2, random))).toEqual([801, 1001, 1201]);
});
