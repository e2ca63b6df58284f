import { Semaphore } from './semaphore';

const never = new AbortController().signal;

it('lets a waiting operation leave when its signal is aborted, without losing a permit', async () => {
  const semaphore = new Semaphore(1);
  const release = await semaphore.acquire(never);
  const leaving = new AbortController();
  const left = semaphore.acquire(leaving.signal);
  const next = semaphore.acquire(never);
  expect([semaphore.waiting, semaphore.tryAcquire()]).toEqual([2, undefined]);
  leaving.abort(new Error('the caller has left'));
  await expect(left).rejects.toThrow('the caller has left');
  release();
  (await next)();
  expect(semaphore.isIdle).toBe(true);
});

it('keeps the permit until the work has ended, also when its signal is aborted meanwhile', async () => {
  const semaphore = new Semaphore(1);
  const caller = new AbortController();
  let end: () => void = () => undefined;
  const running = semaphore.run(caller.signal, () => new Promise<void>((resolve) => (end = resolve)));
  await new Promise(setImmediate);
  caller.abort();
  expect(semaphore.tryAcquire()).toBeUndefined();
  end();
  await running;
  expect(semaphore.tryAcquire()).toBeDefined();
  await expect(semaphore.run(caller.signal, () => Promise.resolve())).rejects.toThrow();
});
