import fc from 'fast-check';
import { dateRange, dateRangeOf } from './date-range';

const day = 86_400_000;

describe('dateRange', () => {
  it.each([
    ['2024', '2024-01-01T00:00:00.000Z', '2024-12-31T23:59:59.999Z'],
    ['2024-02', '2024-02-01T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
    ['2024-12', '2024-12-01T00:00:00.000Z', '2024-12-31T23:59:59.999Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
    ['2024-02-29T10:30', '2024-02-29T10:30:00.000Z', '2024-02-29T10:30:59.999Z'],
    ['2024-02-29T10:30:15Z', '2024-02-29T10:30:15.000Z', '2024-02-29T10:30:15.999Z'],
    ['2024-02-29T10:30:15.2Z', '2024-02-29T10:30:15.200Z', '2024-02-29T10:30:15.299Z'],
    ['2024-02-29T10:30:15.250+02:00', '2024-02-29T08:30:15.250Z', '2024-02-29T08:30:15.250Z'],
    ['2024-02-29T10:30:15.123456-05:30', '2024-02-29T16:00:15.123Z', '2024-02-29T16:00:15.123Z'],
    ['0009', '0009-01-01T00:00:00.000Z', '0009-12-31T23:59:59.999Z'],
  ])('reads %s', (text, low, high) => {
    expect(dateRange(text)).toEqual({ low: Date.parse(low), high: Date.parse(high) });
  });

  it.each([
    '',
    '24',
    '2024-13',
    '2024-00',
    '2023-02-29',
    '2024-02-30',
    '2024-2-1',
    '2024-01-01T25:00:00Z',
    '2024-01-01T10',
    '2024-01-01T10:61:00Z',
    'today',
    '2024-01-01 10:00',
  ])('refuses %s', (text) => {
    expect(dateRange(text)).toBeUndefined();
  });

  it('agrees with Date on every instant, and each coarser precision contains it', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0100-01-01T00:00:00Z'), max: new Date('9998-01-01T00:00:00Z'), noInvalidDate: true }),
        (date) => {
          const text = date.toISOString();
          expect(dateRange(text)).toEqual({ low: date.getTime(), high: date.getTime() });
          for (const length of [4, 7, 10]) {
            const range = dateRange(text.slice(0, length));
            expect(range && range.low <= date.getTime() && date.getTime() <= range.high).toBe(true);
          }
          const whole = dateRange(text.slice(0, 10));
          expect(whole && whole.high - whole.low).toBe(day - 1);
        },
      ),
    );
  });

  it('ends a month where the next begins', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9997 }), fc.integer({ min: 1, max: 12 }), (year, month) => {
        const name = (y: number, m: number): string => `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}`;
        const next = month === 12 ? name(year + 1, 1) : name(year, month + 1);
        expect(dateRange(name(year, month))?.high).toBe((dateRange(next)?.low ?? 0) - 1);
      }),
    );
  });
});

describe('dateRangeOf', () => {
  const at = (text: string): number => Date.parse(text);

  it('leaves the missing end of a Period open', () => {
    expect(dateRangeOf('Period', { start: '2024-05-01' })).toEqual({ low: at('2024-05-01'), high: Infinity });
    expect(dateRangeOf('Period', { end: '2024-05-01' })).toEqual({ low: -Infinity, high: at('2024-05-01') + day - 1 });
    expect(dateRangeOf('Period', {})).toBeUndefined();
  });

  it('spans the events and the bounds of a Timing', () => {
    const timing = {
      event: ['2024-03-01', '2024-01-01'],
      repeat: { boundsPeriod: { start: '2024-02-01', end: '2024-06-01' } },
    };
    expect(dateRangeOf('Timing', timing)).toEqual({ low: at('2024-01-01'), high: at('2024-06-01') + day - 1 });
    expect(dateRangeOf('Timing', { repeat: { frequency: 2 } })).toBeUndefined();
  });

  it('takes values as they came', () => {
    for (const value of [null, 5, true, [], {}, 'yesterday']) expect(dateRangeOf('dateTime', value)).toBeUndefined();
  });
});
