import fc from 'fast-check';
import { parseDateTime, parseDateTimeParameter } from './date-time';

const DAY_MS = 86_400_000;

describe('parseDateTime', () => {
  it.each([
    ['2024', 'year', '2024-01-01T00:00:00.000Z', '2024-12-31T23:59:59.999Z'],
    ['2024-02', 'month', '2024-02-01T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
    ['2024-12', 'month', '2024-12-01T00:00:00.000Z', '2024-12-31T23:59:59.999Z'],
    ['2024-02-29', 'day', '2024-02-29T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
    ['2024-02-29T10:30', 'minute', '2024-02-29T10:30:00.000Z', '2024-02-29T10:30:59.999Z'],
    ['2024-02-29T10:30-01:00', 'minute', '2024-02-29T11:30:00.000Z', '2024-02-29T11:30:59.999Z'],
    ['2024-02-29T10:30:15Z', 'second', '2024-02-29T10:30:15.000Z', '2024-02-29T10:30:15.999Z'],
    ['2024-02-29T00:30:00+14:00', 'second', '2024-02-28T10:30:00.000Z', '2024-02-28T10:30:00.999Z'],
    ['2016-12-31T23:59:60Z', 'second', '2017-01-01T00:00:00.000Z', '2017-01-01T00:00:00.999Z'],
    ['2024-02-29T10:30:15.2Z', 'fraction', '2024-02-29T10:30:15.200Z', '2024-02-29T10:30:15.299Z'],
    ['2024-02-29T10:30:15.29', 'fraction', '2024-02-29T10:30:15.290Z', '2024-02-29T10:30:15.299Z'],
    ['2024-02-29T10:30:15.250+02:00', 'fraction', '2024-02-29T08:30:15.250Z', '2024-02-29T08:30:15.250Z'],
    ['2024-02-29T10:30:15.123999-05:30', 'fraction', '2024-02-29T16:00:15.123Z', '2024-02-29T16:00:15.123Z'],
    ['0009', 'year', '0009-01-01T00:00:00.000Z', '0009-12-31T23:59:59.999Z'],
    ['0099-12', 'month', '0099-12-01T00:00:00.000Z', '0099-12-31T23:59:59.999Z'],
  ])('reads %s as a %s', (text, precision, low, high) => {
    expect(parseDateTime(text)).toMatchObject({ precision, low: Date.parse(low), high: Date.parse(high) });
  });

  it('reports a missing time zone and a leap second', () => {
    expect(parseDateTime('2024-02-29T10:30:15')).toMatchObject({ lacksZone: true, isLeapSecond: false });
    expect(parseDateTime('2024-02-29')).toMatchObject({ lacksZone: false, isLeapSecond: false });
    expect(parseDateTime('2016-12-31T23:59:60.5+00:00')).toMatchObject({ lacksZone: false, isLeapSecond: true });
  });

  it.each([
    '',
    '24',
    '2024-13',
    '2024-00',
    '2024-01-00',
    '2024-01-32',
    '2023-02-29',
    '1900-02-29',
    '2024-02-30',
    '2024-04-31',
    '2024-2-1',
    '20240201',
    '-2024',
    '2024-01-01Z',
    '2024-01-01T',
    '2024-01-01T10',
    '2024-01-01T24:00:00Z',
    '2024-01-01T25:00:00Z',
    '2024-01-01T10:61:00Z',
    '2024-01-01T10:00:61Z',
    '2024-01-01T10:00:00.Z',
    '2024-01-01T10:00:00+15:00',
    '2024-01-01T10:00:00+14:30',
    '2024-01-01T10:00:00+01',
    '2024-01-01T10:00:00 01:00',
    '2024-01-01 10:00',
    ' 2024',
    '2024\n',
    'today',
  ])('refuses %j', (text) => {
    expect(parseDateTime(text)).toBeUndefined();
  });

  it('agrees with Date on every instant, which each coarser precision contains', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
        (date) => {
          const text = date.toISOString();
          expect(parseDateTime(text)).toMatchObject({ low: date.getTime(), high: date.getTime() });
          for (const length of [4, 7, 10]) {
            const interval = parseDateTime(text.slice(0, length));
            expect(interval && interval.low <= date.getTime() && date.getTime() <= interval.high).toBe(true);
          }
          const day = parseDateTime(text.slice(0, 10));
          expect(day && day.high - day.low).toBe(DAY_MS - 1);
        },
      ),
    );
  });

  it('ends a month at the start of the next', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9998 }), fc.integer({ min: 1, max: 12 }), (year, month) => {
        const name = (y: number, m: number): string => `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}`;
        const next = month === 12 ? name(year + 1, 1) : name(year, month + 1);
        expect(parseDateTime(name(year, month))?.high).toBe((parseDateTime(next)?.low ?? 0) - 1);
      }),
    );
  });
});

describe('parseDateTimeParameter', () => {
  it('accepts a space as the plus sign of a time zone', () => {
    expect(parseDateTimeParameter('2020-06-05T00:30:00 02:00')).toEqual(parseDateTime('2020-06-05T00:30:00+02:00'));
    expect(parseDateTimeParameter('2020-06-05T00:30:00-02:00')).toEqual(parseDateTime('2020-06-05T00:30:00-02:00'));
    expect(parseDateTimeParameter('2020-06-05 00:30')).toBeUndefined();
  });
});
