import { millisecondsEach, parseStat, summarized } from './processor-time';
import { overTime } from './resident-memory';

it('reads the processor time of a process with spaces and parentheses in its name', () => {
  expect(parseStat('4172 (a (b) c) S 4162 4172 4162 0 -1 4194304 9 8 7 6 150 50 3 2 20 0 1 0 99 1 2')).toEqual({
    pid: 4172,
    parent: 4162,
    seconds: 2,
  });
});

it('reports memory over time, from the first to the last sample', () => {
  expect(overTime([10.4, 20, 30])).toBe('10 → 20 → 30 MB');
  expect(
    overTime(
      Array.from({ length: 100 }, (_, n) => n),
      4,
    ),
  ).toBe('0 → 33 → 66 → 99 MB');
});

it('reports the processor time of a request without that of the load generator', () => {
  expect(
    millisecondsEach(
      new Map([
        ['load', 0.5],
        ['bench', 0.1],
        ['fhir-store', 0.9],
        ['postgres', 0.3],
      ]),
      1000,
    ),
  ).toBeCloseTo(1.2);
});

it('reports the busy processes, the busiest first', () => {
  expect(
    summarized(
      new Map([
        ['load', 0.2],
        ['search', 1.071],
        ['auth', 0.004],
      ]),
    ),
  ).toBe('search 1.07, load 0.20 processors');
  expect(summarized(new Map())).toBe('');
});
