import { WriteClock } from './write-clock';

/** A database whose clock differs by `offset` and that is reached after `delay`. */
function write(clock: WriteClock, offset: number, delay: number): { inTime: boolean; at: number } {
  const { at, chosen } = clock.choose(0);
  const ran = chosen + delay + offset;
  clock.learn({ chosen, ran, answered: chosen + delay + 1 });
  return { inTime: ran <= at, at };
}

describe('WriteClock', () => {
  it.each([0, 5000, -5000])('soon chooses times that the database takes, its clock being %d ms ahead', (offset) => {
    const clock = new WriteClock();
    const tries = Array.from({ length: 200 }, (_, i) => write(clock, offset, i % 4).inTime);
    expect(tries.slice(10).filter((inTime) => !inTime).length).toBeLessThan(10);
    // and not far in the future
    expect(clock.choose(0).at - (Date.now() + offset)).toBeLessThan(10);
  });

  it('does not stay far ahead after a few slow writes', () => {
    const clock = new WriteClock();
    for (let i = 0; i < 3; i++) write(clock, 0, 500);
    for (let i = 0; i < 64; i++) write(clock, 0, 1);
    expect(clock.choose(0).at - Date.now()).toBeLessThan(5);
  });

  it('chooses later than any time named', () => {
    const later = Date.now() + 60_000;
    expect(new WriteClock().choose(later).at).toBe(later + 1);
  });

  it('holds an answer back while its time is far ahead by the database', async () => {
    const clock = new WriteClock();
    for (let i = 0; i < 64; i++) write(clock, -40, 1);
    const start = Date.now();
    await clock.until(start + 30);
    expect(Date.now() - 40 + 50).toBeGreaterThanOrEqual(start + 30);
    
  });
});
