import { setMaxListeners } from 'node:events';
import { AnswerBudget, type AnswerRoom } from './answer-budget';

const { signal } = new AbortController();
setMaxListeners(0, signal);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Reads an answer whose size is not known before, as the client does. @returns the most bytes that were held */
async function readAll(budget: AnswerBudget, host: string, bytes: number, part: number): Promise<number> {
  const room = budget.room(host);
  let most = 0;
  for (let expected = part; ; expected *= 2) {
    await room.reserve(expected, signal);
    let read = 0;
    while (read < bytes && room.growTo(read + part)) {
      read += part;
      most = Math.max(most, budget.held);
      await turn();
    }
    if (read >= bytes) break;
  }
  room.shrinkTo(bytes);
  await turn();
  room.release();
  return most;
}

function reserved(room: AnswerRoom, bytes: number): { isIn: boolean; done: Promise<void> } {
  const state = { isIn: false, done: Promise.resolve() };
  state.done = room.reserve(bytes, signal).then(() => void (state.isIn = true));
  return state;
}

describe('AnswerBudget', () => {
  it('holds no more than its size and one answer, and lets all come in', async () => {
    const budget = new AnswerBudget(100);
    const most = await Promise.all(
      Array.from({ length: 30 }, (_x, index) => readAll(budget, `host ${index % 5}`, 40 + 10 * (index % 4), 10)),
    );
    expect(Math.max(...most)).toBeGreaterThan(80);
    expect(Math.max(...most)).toBeLessThanOrEqual(100 + 70);
    expect(budget.held).toBe(0);
  });

  it('lets in an answer larger than itself', async () => {
    await expect(readAll(new AnswerBudget(100), 'a', 1000, 50)).resolves.toBe(1000);
  });

  it('lets other hosts go on while one trickles more than there is room for', async () => {
    const budget = new AnswerBudget(100);
    const trickling = Array.from({ length: 6 }, () => budget.room('slow'));
    await Promise.all(trickling.slice(0, 2).map((room) => room.reserve(10, signal)));
    // Neither of them ever ends. One has gone beyond the budget, another holds what a host may hold.
    for (const room of trickling.slice(0, 2)) for (let size = 10; size < 5000 && room.growTo(size); size += 10);
    const waiting = trickling.slice(2).map((room) => reserved(room, 60));
    for (let answer = 0; answer < 5; answer++) await readAll(budget, 'quick', 40, 10);
    expect(waiting.map(({ isIn }) => isIn)).toEqual([false, false, false, false]);
    for (const room of trickling) room.release();
    await Promise.all(waiting.map(({ done }, index) => done.then(() => trickling[index + 2]?.release())));
    expect(budget.held).toBe(0);
  });

  it('lets the one that waits longest go beyond, also when smaller ones come after it', async () => {
    const budget = new AnswerBudget(100);
    const [beyond, large, next] = [budget.room('a'), budget.room('b'), budget.room('c')];
    await beyond.reserve(200, signal);
    const waits = reserved(large, 150);
    const later = reserved(next, 120);
    await readAll(budget, 'd', 30, 10);
    await turn();
    expect([waits.isIn, later.isIn]).toEqual([false, false]);
    beyond.release();
    await waits.done;
    await turn();
    expect([later.isIn, budget.held]).toEqual([false, 150]);
    large.release();
    await later.done;
    next.release();
    expect(budget.held).toBe(0);
  });

  it('lets go of who gives up', async () => {
    const budget = new AnswerBudget(10);
    const [one, other, third] = [budget.room('a'), budget.room('b'), budget.room('c')];
    await one.reserve(10, signal);
    await other.reserve(10, signal);
    const abort = new AbortController();
    const wait = third.reserve(10, abort.signal);
    abort.abort(new Error('given up'));
    await expect(wait).rejects.toThrow('given up');
    one.release();
    other.release();
    expect(budget.held).toBe(0);
  });
});
