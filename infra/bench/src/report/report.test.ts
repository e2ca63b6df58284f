import { type Figure, ofBare, reachesGoal } from './figure';
import { grouped, renderTable } from './table';

const read: Figure = {
  scenario: 'read',
  work: 'read by id',
  unit: '/s',
  value: 3000,
  bare: 4000,
  processorMs: 0.4321,
  bareProcessorMs: 0.3,
  goal: { min: 4000 },
  note: 'p50 4 ms',
};
const bytes: Figure = { scenario: 'disk', work: 'disk per resource', unit: 'B', value: 431.2, goal: { max: 512 } };
const exported: Figure = {
  scenario: 'export',
  work: 'export',
  unit: '/s',
  value: 120_000,
  bare: 130_000,
  goal: { min: 100_000, minOfBare: 0.8 },
};

describe('figures', () => {
  it('are compared with the bare database and with their goals', () => {
    expect([read, bytes, exported].map(ofBare)).toEqual([0.75, undefined, 120 / 130]);
    expect([read, bytes, exported].map(reachesGoal)).toEqual([false, true, true]);
    expect(reachesGoal({ ...exported, bare: 200_000 })).toBe(false);
    expect(reachesGoal({ scenario: 'read', work: '', unit: '/s', value: 1 })).toBeUndefined();
    expect(ofBare({ value: 1, bare: 0 })).toBeUndefined();
  });

  it.each([
    [1_234_567.8, '1,234,568'],
    [999, '999'],
    [1000, '1,000'],
    [12.34, '12.3'],
    [1.234, '1.23'],
    [0.5, '0.50'],
    [0, '0'],
    [20, '20'],
  ])('%d is written as %s', (value, text) => expect(grouped(value)).toBe(text));

  it('are rendered as a table', () => {
    expect(renderTable([read, bytes, exported])).toBe(
      [
        '                   Tributary       bare  of bare  CPU ms each   bare                        goal',
        '─────────────────  ─────────  ─────────  ───────  ───────────  ─────  ──────────────────────────  ───────',
        'read by id           3,000/s    4,000/s     0.75        0.432  0.300                   ≥ 4,000/s  missed',
        '    p50 4 ms',
        'disk per resource      431 B          –        –            –      –                     ≤ 512 B  reached',
        'export             120,000/s  130,000/s     0.92            –      –  ≥ 100,000/s, ≥ 0.8 of bare  reached',
      ].join('\n'),
    );
  });
});
