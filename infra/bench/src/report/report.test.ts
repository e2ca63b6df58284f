import { type Figure, ofBare, reachesGoal, shareOfGoal } from './figure';
import { renderChart } from './chart';
import { grouped, renderTable } from './table';

const read: Figure = {
  scenario: 'read',
  work: 'read by id',
  unit: '/s',
  value: 3000,
  bare: 4000,
  processorMs: 0.4321,
  bareProcessorMs: 0.3,
  ofEmpty: 0.4,
  goal: { min: 4000, minOfEmpty: 0.5 },
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

  it('are compared with an empty route, and are shares of the condition that they meet least', () => {
    const figure: Figure = { ...read, value: 5000, ofEmpty: 0.4 };
    expect(shareOfGoal(figure)).toBe(0.8);
    expect(reachesGoal(figure)).toBe(false);
    expect(reachesGoal({ ...figure, ofEmpty: 0.5 })).toBe(true);
    expect(shareOfGoal({ ...bytes, value: 1024 })).toBe(0.5);
    expect(shareOfGoal({ ...bytes, bare: 400, goal: { maxOfBare: 1.078 } })).toBe(1);
  });

  it('are drawn as bars up to one and a half of their goals', () => {
    const svg = renderChart(
      [read, exported, { ...bytes, work: 'a < b', value: 1 }, { ...bytes, goal: undefined }],
      'two & two',
    );
    expect([...svg.matchAll(/<rect x="330" y="\d+" width="([\d.]+)"/g)].map(([, width]) => Number(width))).toEqual([
      150, 230.8, 300,
    ]);
    expect(svg).toContain('a &lt; b');
    expect(svg).toContain('two &amp; two');
  });

  it('are rendered as a table', () => {
    expect(renderTable([read, bytes, exported])).toBe(
      [
        '                   Tributary       bare  of bare  of empty  CPU ms each   bare                        goal',
        '─────────────────  ─────────  ─────────  ───────  ────────  ───────────  ─────  ──────────────────────────  ───────',
        'read by id           3,000/s    4,000/s     0.75      0.40        0.432  0.300   ≥ 4,000/s, ≥ 0.5 of empty  missed',
        '    p50 4 ms',
        'disk per resource      431 B          –        –         –            –      –                     ≤ 512 B  reached',
        'export             120,000/s  130,000/s     0.92         –            –      –  ≥ 100,000/s, ≥ 0.8 of bare  reached',
      ].join('\n'),
    );
  });
});
