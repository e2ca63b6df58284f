import { ClientSlots } from './client-slots';

const slots = (): ClientSlots => new ClientSlots({ slots: 4, timeoutMs: 60_000 });

/** Whether the promise is settled by now. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ]);
}

it('lets a client have half of the slots and keeps the rest for others', async () => {
  const all = slots();
  const own = [await all.take('a'), await all.take('a')];
  const third = all.take('a');
  expect(await isDone(third)).toBe(false);
  const others = [await all.take('b'), await all.take('c')];
  const waiting = all.take('d');
  expect(await isDone(waiting)).toBe(false);
  others[0]!();
  expect([await isDone(waiting), await isDone(third)]).toEqual([true, false]);
  own[0]!();
  expect(await isDone(third)).toBe(true);
});

it('serves in order, and releases a slot once, however often release is called', async () => {
  const all = slots();
  const first = await all.take('a');
  await all.take('a');
  const order: number[] = [];
  const [second, third] = [1, 2].map(async (n) => {
    const release = await all.take('a');
    order.push(n);
    return release;
  });
  first();
  first();
  (await second!)();
  const last = await third!;
  expect(order).toEqual([1, 2]);
  const next = all.take('a');
  expect(await isDone(next)).toBe(false);
  last();
  expect(await isDone(next)).toBe(true);
});

it('refuses a caller that has waited too long, without losing a slot', async () => {
  const all = new ClientSlots({ slots: 2, timeoutMs: 20 });
  const release = await all.take('a');
  await expect(all.take('a')).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
  release();
  expect(await isDone(all.take('a'))).toBe(true);
});

it('takes a slot at once or not at all', () => {
  const slots = new ClientSlots({ slots: 4, timeoutMs: 0 });
  const taken = [slots.tryAcquire('a'), slots.tryAcquire('a'), slots.tryAcquire('a'), slots.tryAcquire('b')];
  expect(taken.map((release) => release !== undefined)).toEqual([true, true, false, true]);
  taken[0]?.();
  expect(slots.tryAcquire('a')).toBeDefined();
});
