import { backoffMs } from './patience';
import { retryAfterMs } from './retry-after';

const longest = 120_000;

describe('retryAfterMs', () => {
  const now = Date.parse('2026-03-01T10:00:00Z');
  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Sun, 01 Mar 2026 10:00:09 GMT' }, 9000],
    [{ 'retry-after': 'Sun, 01 Mar 2026 09:00:00 GMT' }, 0],
    [{ 'x-retry-after': '3' }, 3000],
    [{ 'retry-after': '86400' }, longest],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('%j', (headers, expected) => {
    expect(retryAfterMs(headers, now, longest)).toBe(expected);
  });
});

describe('backoffMs', () => {
  it('grows and stays bounded', () => {
    expect(backoffMs(1, 500)).toBeLessThanOrEqual(750);
    expect(backoffMs(20, 500)).toBeLessThanOrEqual(45_000);
  });
});
