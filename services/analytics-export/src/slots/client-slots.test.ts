import { ClientSlots } from './client-slots';

const slots = (): ClientSlots => new ClientSlots(4, 60_000);

/** Takes a slot until the returned function is called. */
function take(all: ClientSlots, clientId: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    all.run(clientId, () => new Promise<void>((end) => resolve(end))).catch(reject);
  });
}

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
  const own = [await take(all, 'a'), await take(all, 'a')];
  const third = take(all, 'a');
  expect(await isDone(third)).toBe(false);
  const others = [await take(all, 'b'), await take(all, 'c')];
  const waiting = take(all, 'd');
  expect(await isDone(waiting)).toBe(false);
  others[0]!();
  expect([await isDone(waiting), await isDone(third)]).toEqual([true, false]);
  own[0]!();
  expect(await isDone(third)).toBe(true);
});

it('serves in order', async () => {
  const all = slots();
  const first = await take(all, 'a');
  await take(all, 'a');
  const order: number[] = [];
  const [second, third] = [1, 2].map(async (n) => {
    const release = await take(all, 'a');
    order.push(n);
    return release;
  });
  first();
  (await second!)();
  const last = await third!;
  expect(order).toEqual([1, 2]);
  const next = take(all, 'a');
  expect(await isDone(next)).toBe(false);
  last();
  expect(await isDone(next)).toBe(true);
});

it('refuses a caller that has waited too long, without losing a slot', async () => {
  const all = new ClientSlots(2, 20);
  const release = await take(all, 'a');
  await expect(take(all, 'a')).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
  release();
  expect(await isDone(take(all, 'a'))).toBe(true);
});

it('takes a slot at once or not at all', () => {
  const slots = new ClientSlots(4, 0);
  const taken = [slots.tryAcquire('a'), slots.tryAcquire('a'), slots.tryAcquire('a'), slots.tryAcquire('b')];
  expect(taken.map((release) => release !== undefined)).toEqual([true, true, false, true]);
  taken[0]?.();
  expect(slots.tryAcquire('a')).toBeDefined();
});
