import { setMaxListeners } from 'node:events';
import { ResponseMemoryBudget, type Reservation } from './response-memory-budget';

const { signal } = new AbortController();
setMaxListeners(0, signal);
const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Reads a response of unknown size, as the client does. @returns the peak of the held bytes */
async function readAll(budget: ResponseMemoryBudget, host: string, bytes: number, part: number): Promise<number> {
  const reservation = budget.reservation(host);
  let most = 0;
  for (let expected = part; ; expected *= 2) {
    await reservation.reserve(expected, signal);
    let read = 0;
    while (read < bytes && reservation.tryGrowTo(read + part)) {
      read += part;
      most = Math.max(most, budget.heldBytes);
      await nextTick();
    }
    if (read >= bytes) break;
  }
  reservation.shrinkTo(bytes);
  await nextTick();
  reservation.release();
  return most;
}

function reserved(reservation: Reservation, bytes: number): { isReserved: boolean; done: Promise<void> } {
  const state = { isReserved: false, done: Promise.resolve() };
  state.done = reservation.reserve(bytes, signal).then(() => void (state.isReserved = true));
  return state;
}

describe('ResponseMemoryBudget', () => {
  it('holds at most its size and one response, and serves every request', async () => {
    const budget = new ResponseMemoryBudget(100);
    const most = await Promise.all(
      Array.from({ length: 30 }, (_x, index) => readAll(budget, `host ${index % 5}`, 40 + 10 * (index % 4), 10)),
    );
    expect(Math.max(...most)).toBeGreaterThan(80);
    expect(Math.max(...most)).toBeLessThanOrEqual(100 + 70);
    expect(budget.heldBytes).toBe(0);
  });

  it('admits a response that is larger than the budget', async () => {
    await expect(readAll(new ResponseMemoryBudget(100), 'a', 1000, 50)).resolves.toBe(1000);
  });

  it('serves other hosts while one trickles more than fits', async () => {
    const budget = new ResponseMemoryBudget(100);
    const trickling = Array.from({ length: 6 }, () => budget.reservation('slow'));
    await Promise.all(trickling.slice(0, 2).map((reservation) => reservation.reserve(10, signal)));
    // Neither of them ever ends: one is the overdraft, the other holds what one host may hold.
    for (const reservation of trickling.slice(0, 2))
      for (let size = 10; size < 5000 && reservation.tryGrowTo(size); size += 10);
    const waiting = trickling.slice(2).map((reservation) => reserved(reservation, 60));
    for (let answer = 0; answer < 5; answer++) await readAll(budget, 'quick', 40, 10);
    expect(waiting.map(({ isReserved }) => isReserved)).toEqual([false, false, false, false]);
    for (const reservation of trickling) reservation.release();
    await Promise.all(waiting.map(({ done }, index) => done.then(() => trickling[index + 2]?.release())));
    expect(budget.heldBytes).toBe(0);
  });

  it('gives the overdraft to the request that waits longest, also when smaller ones come after it', async () => {
    const budget = new ResponseMemoryBudget(100);
    const [overdraft, large, next] = [budget.reservation('a'), budget.reservation('b'), budget.reservation('c')];
    await overdraft.reserve(200, signal);
    const waits = reserved(large, 150);
    const later = reserved(next, 120);
    await readAll(budget, 'd', 30, 10);
    await nextTick();
    expect([waits.isReserved, later.isReserved]).toEqual([false, false]);
    overdraft.release();
    await waits.done;
    await nextTick();
    expect([later.isReserved, budget.heldBytes]).toEqual([false, 150]);
    large.release();
    await later.done;
    next.release();
    expect(budget.heldBytes).toBe(0);
  });

  it('drops a waiting request when its signal is aborted', async () => {
    const budget = new ResponseMemoryBudget(10);
    const [one, other, third] = [budget.reservation('a'), budget.reservation('b'), budget.reservation('c')];
    await one.reserve(10, signal);
    await other.reserve(10, signal);
    const abort = new AbortController();
    const wait = third.reserve(10, abort.signal);
    abort.abort(new Error('given up'));
    await expect(wait).rejects.toThrow('given up');
    one.release();
    other.release();
    expect(budget.heldBytes).toBe(0);
  });
});
