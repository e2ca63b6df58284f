import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { AnswerBudget } from './answer-budget';

const { signal } = new AbortController();
setMaxListeners(0, signal);

async function readAll(budget: AnswerBudget, bytes: number, part: number): Promise<number> {
  const room = budget.room();
  let most = 0;
  for (let read = 0; read < bytes; read += part) {
    await room.take(part, signal);
    most = Math.max(most, budget.held);
    await pause(0);
  }
  await pause(1);
  room.release();
  return most;
}

describe('AnswerBudget', () => {
  it('holds no more than its size and one answer, and lets all come in', async () => {
    const budget = new AnswerBudget(100);
    const most = await Promise.all(Array.from({ length: 30 }, (_x, index) => readAll(budget, 40 + 10 * (index % 4), 10)));
    expect(Math.max(...most)).toBeGreaterThan(90);
    expect(Math.max(...most)).toBeLessThanOrEqual(100 + 70);
    expect(budget.held).toBe(0);
  });

  it('lets in an answer larger than itself', async () => {
    const budget = new AnswerBudget(100);
    await expect(readAll(budget, 1000, 50)).resolves.toBe(1000);
  });

  it('lets those that wait in one after the other', async () => {
    const budget = new AnswerBudget(100);
    const rooms = [budget.room(), budget.room(), budget.room(), budget.room()] as const;
    expect([rooms[0].take(100, signal), rooms[1].take(50, signal)]).toEqual([undefined, undefined]);
    const order: number[] = [];
    const waits = [2, 3].map((index) => rooms[index]?.take(60, signal)?.then(() => order.push(index)));
    await pause(1);
    expect([order, budget.held]).toEqual([[], 150]);
    rooms[1].release();
    await pause(1);
    expect(order).toEqual([2]);
    rooms[0].release();
    rooms[2].release();
    await Promise.all(waits);
    expect([order, budget.held]).toEqual([[2, 3], 60]);
  });

  it('lets go of who gives up', async () => {
    const budget = new AnswerBudget(10);
    const [one, other, third] = [budget.room(), budget.room(), budget.room()];
    void one.take(10, signal);
    void other.take(10, signal);
    const abort = new AbortController();
    const wait = third.take(10, abort.signal);
    abort.abort(new Error('given up'));
    await expect(wait).rejects.toThrow('given up');
    one.release();
    other.release();
    expect(budget.held).toBe(0);
  });
});
