import { type Applicant, Places } from './places';

let ids = 0;
let called: string[];
beforeEach(() => {
  called = [];
});

function applicant(since = 0, isGone = false): Applicant {
  const id = `job ${++ids}`;
  return { id, since, call: () => (isGone ? Promise.reject(new Error('gone')) : Promise.resolve(void called.push(id))) };
}

function takeAll(places: Places, host: string): number {
  let taken = 0;
  while (places.take(host, applicant())) taken++;
  return taken;
}

const callsMade = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Places', () => {
  it('leaves places to other hosts, however many collections one has', () => {
    const places = new Places(64);
    expect([takeAll(places, 'a'), takeAll(places, 'b'), takeAll(places, 'c'), takeAll(places, 'd')]).toEqual([32, 16, 8, 4]);
    for (let left = 0; left < 32; left++) places.leave('a');
    expect(takeAll(places, 'd')).toBeGreaterThan(10);
    expect(places.take('e', applicant())).toBe(true);
  });

  it('always has one for whoever comes when it is empty', () => {
    const places = new Places(1);
    expect([places.take('a', applicant()), places.take('a', applicant()), places.take('b', applicant())]).toEqual([true, false, false]);
    places.leave('a');
    expect(places.take('b', applicant())).toBe(true);
  });

  it('calls the poorest host first, and what was queued first', async () => {
    const places = new Places(8);
    takeAll(places, 'a');
    takeAll(places, 'b');
    const [late, early, ofB] = [applicant(20), applicant(10), applicant(30)];
    places.putBack('a', late);
    places.putBack('a', early);
    places.putBack('b', ofB);
    places.leave('a');
    await callsMade();
    expect(called).toEqual([ofB.id]);
    places.leave('a');
    places.leave('a');
    await callsMade();
    expect(called).toEqual([ofB.id, early.id, late.id]);
  });

  it('does not let anyone pass those that were queued before', async () => {
    const places = new Places(8);
    takeAll(places, 'a');
    const [first, later] = [applicant(1), applicant(3)];
    places.putBack('a', later);
    places.leave('a');
    await callsMade();
    places.putBack('a', first);
    expect([places.take('a', later), called]).toEqual([false, [later.id, first.id]]);
    places.putBack('a', later);
    expect([places.take('a', first), places.take('a', later)]).toEqual([true, false]);
  });

  it('calls the next one when the first has gone elsewhere', async () => {
    const places = new Places(2);
    places.take('a', applicant());
    const next = applicant(2);
    places.putBack('a', applicant(1, true));
    places.putBack('a', next);
    places.leave('a');
    await callsMade();
    expect(called).toEqual([next.id]);
  });

  it('lets those put back come again in their order', () => {
    const places = new Places(1);
    const returns = [places.nextReturn(0, 1), places.nextReturn(5, 1), places.nextReturn(5, 1), places.nextReturn(9000, 40)];
    expect(returns).toEqual([...new Set(returns)].sort((a, b) => a - b));
    expect(returns[3]).toBe(19_000);
  });
});
