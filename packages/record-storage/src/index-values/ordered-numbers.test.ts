import { DataKey } from '@tributary/key-vault';
import fc from 'fast-check';
import { RecordKeys } from '../keys/record-keys';
import { orderedDate, orderedNumber } from './ordered-numbers';

const LOWEST_VALUE = -(2n ** 63n) + 2n ** 58n;

describe('orderedNumber', () => {
  const number = fc.double({ noNaN: true, min: -1e280 });

  it('keeps the order of all numbers, and is above the range of blinded names', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [x, y] = [orderedNumber(a), orderedNumber(b)];
        expect(x < y).toBe(a < b);
        expect(x === y).toBe(a === b || (a === 0 && b === 0));
        expect(x).toBeGreaterThanOrEqual(LOWEST_VALUE);
      }),
      { numRuns: 2000 },
    );
    expect(orderedNumber(-Infinity)).toBeLessThan(orderedNumber(-1e280));
    expect(orderedNumber(-Infinity)).toBeGreaterThanOrEqual(LOWEST_VALUE);
    expect(orderedNumber(Infinity)).toBeGreaterThan(orderedNumber(Number.MAX_VALUE));
  });
});

describe('orderedDate', () => {
  it('keeps the order of all dates under any shift', () => {
    const date = fc.oneof(fc.integer({ min: -8.64e15, max: 8.64e15 }), fc.constantFrom(Infinity, -Infinity));
    fc.assert(
      fc.property(date, date, fc.integer({ min: -(2 ** 41), max: 2 ** 41 }), (a, b, shift) => {
        expect(orderedDate(a, shift) < orderedDate(b, shift)).toBe(a < b);
      }),
    );
  });
});

describe('the keys of a record', () => {
  it('have a separate date shift and separate blind names', () => {
    const keys = Array.from({ length: 50 }, (_, i) => new RecordKeys(i, DataKey.generate()));
    expect(new Set(keys.map(({ dateShift }) => dateShift)).size).toBe(50);
    for (const each of keys) {
      expect(Math.abs(each.dateShift)).toBeLessThanOrEqual(2 ** 40);
      expect(each.blindRangeName('x')).toBeLessThan(LOWEST_VALUE);
      expect(each.blindRangeName('x')).toBe(each.blindRangeName('x'));
      expect(each.blindTerm('x')).not.toBe(each.blindTerm('y'));
    }
  });
});
