import { CallLimits } from './call-limits';

const client = new AbortController().signal;
const never = new Promise<void>(() => undefined);

/** Work that runs until it is released. */
class Work {
  hasBegun = false;
  release = (): void => undefined;
  readonly done = new Promise<void>((resolve) => (this.release = resolve));
  readonly run = (): Promise<void> => {
    this.hasBegun = true;
    return this.done;
  };
}

const limitsOf = (more: object = {}): CallLimits =>
  new CallLimits({
    calls: 2,
    callsPerUser: 1,
    waitingCalls: 2,
    waitingCallsPerUser: 2,
    callTimeoutMs: 600_000,
    ...more,
  });
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('runs a few calls of a user at a time, and those of others meanwhile', async () => {
  const limits = limitsOf();
  const [one, two, other] = [new Work(), new Work(), new Work()];
  const calls = [limits.run(1, client, one.run), limits.run(1, client, two.run), limits.run(2, client, other.run)];
  await settle();
  expect([one.hasBegun, two.hasBegun, other.hasBegun]).toEqual([true, false, true]);
  one.release();
  await calls[0];
  await settle();
  expect(two.hasBegun).toBe(true);
  two.release();
  other.release();
  await Promise.all(calls);
});

it('runs a few calls of all users at a time, in the order in which they came', async () => {
  const limits = limitsOf({ calls: 1, waitingCalls: 10 });
  const works = Array.from({ length: 5 }, () => new Work());
  const calls = works.map((work, user) => limits.run(user, client, work.run));
  for (const [index, work] of works.entries()) {
    await settle();
    expect(works.map(({ hasBegun }) => hasBegun)).toEqual(works.map((_work, other) => other <= index));
    work.release();
    await calls[index];
  }
});

it('refuses what exceeds the waiting calls, and accepts again when some have ended', async () => {
  const limits = limitsOf({ calls: 1, waitingCalls: 1 });
  const work = new Work();
  const calls = [limits.run(1, client, work.run), limits.run(2, client, work.run)];
  await expect(limits.run(3, client, work.run)).rejects.toThrow('Too many calls are in progress');
  work.release();
  await Promise.all(calls);
  await expect(limits.run(3, client, () => Promise.resolve('run'))).resolves.toBe('run');
});

it('refuses what exceeds the waiting calls of a user, and accepts those of others', async () => {
  const limits = limitsOf({ calls: 3, waitingCalls: 10, waitingCallsPerUser: 1 });
  const work = new Work();
  const calls = [limits.run(1, client, work.run), limits.run(1, client, work.run)];
  await expect(limits.run(1, client, work.run)).rejects.toThrow('Too many calls of this user');
  await expect(limits.run(2, client, () => Promise.resolve('run'))).resolves.toBe('run');
  work.release();
  await Promise.all(calls);
  await expect(limits.run(1, client, () => Promise.resolve('run'))).resolves.toBe('run');
});

it('ends a call that waits or runs too long, and lets the next begin', async () => {
  const limits = limitsOf({ calls: 1, callTimeoutMs: 50 });
  const endless = limits.run(1, client, (signal) => Promise.race([never, rejection(signal)]));
  const waiting = limits.run(2, client, () => Promise.resolve());
  const outcomes = await Promise.allSettled([endless, waiting]);
  expect(outcomes[0]).toMatchObject({
    status: 'rejected',
    reason: { message: expect.stringContaining('took longer than') },
  });
  await expect(limits.run(3, client, () => Promise.resolve('run'))).resolves.toBe('run');
});

it('lets a call leave the queue when its client disconnects', async () => {
  const limits = limitsOf({ calls: 1 });
  const work = new Work();
  const first = limits.run(1, client, work.run);
  const leaving = new AbortController();
  const waiting = limits.run(2, leaving.signal, () => Promise.resolve());
  leaving.abort(new Error('the client disconnected'));
  await expect(waiting).rejects.toThrow('the client disconnected');
  work.release();
  await first;
  await expect(limits.run(3, client, () => Promise.resolve('run'))).resolves.toBe('run');
});

it('begins the next call after one that fails', async () => {
  const limits = limitsOf({ calls: 1 });
  await expect(limits.run(1, client, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await expect(limits.run(1, client, () => Promise.resolve('run'))).resolves.toBe('run');
});

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}
