import type { JsonValue } from '@tributary/fhir-json';
import { type Range, comparedRange, dateRangeOf, dateRangesOf } from './date-range';

const day = 86_400_000;

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

  it('accepts values of any JSON type', () => {
    for (const value of [null, 5, true, [], {}, 'yesterday']) expect(dateRangeOf('dateTime', value)).toBeUndefined();
  });
});

describe('the dates of the zone that a value is written with', () => {
  const localDateRangeOf = (type: string, value: JsonValue): Range | undefined => dateRangesOf(type, value)?.local;
  const at = (text: string): number => Date.parse(text);

  it.each([
    ['dateTime', '2024-03-08T22:00:00-08:00', '2024-03-08T22:00:00Z', 999],
    ['dateTime', '2024-01-01T00:30:00+01:00', '2024-01-01T00:30:00Z', 999],
    ['instant', '2024-01-01T00:30:00.125+14:00', '2024-01-01T00:30:00.125Z', 0],
  ])('are those of the %s %s', (type, text, local, width) => {
    expect(localDateRangeOf(type, text)).toEqual({
      ...localDateRangeOf(type, text),
      low: at(local),
      high: at(local) + width,
    });
    expect(comparedRange(type, text, true)).toEqual(localDateRangeOf(type, text));
    expect(comparedRange(type, text, false)).toMatchObject({ low: at(text), high: at(text) + width });
  });

  it.each([
    '2024',
    '2024-03-08',
    '2024-03-08T22:00:00Z',
    '2024-03-08T22:00:00+01:00',
    '2024-03-08T22:00:00+15:00',
    'x',
  ])('are not kept of %s', (text) => {
    expect(localDateRangeOf('dateTime', text)).toBeUndefined();
    expect(comparedRange('dateTime', text, true)).toEqual(dateRangeOf('dateTime', text));
  });

  it('are those of each end of a Period', () => {
    const period = { start: '2024-03-08T12:00:00-08:00', end: '2024-03-08T22:00:00-08:00' };
    expect(localDateRangeOf('Period', period)).toEqual({
      low: at('2024-03-08T12:00Z'),
      high: at('2024-03-08T22:00Z') + 999,
    });
    expect(localDateRangeOf('Period', { start: period.end })).toEqual({ low: at('2024-03-08T22:00Z'), high: Infinity });
    expect(localDateRangeOf('Period', { start: period.start })).toBeUndefined();
  });
});
