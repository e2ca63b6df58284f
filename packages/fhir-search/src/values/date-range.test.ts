import { dateRangeOf } from './date-range';

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
