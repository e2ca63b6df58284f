import { retryAfterMs } from './retry-after';

const maxMs = 120_000;

describe('retryAfterMs', () => {
  const now = Date.parse('2026-03-01T10:00:00Z');
  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Sun, 01 Mar 2026 10:00:09 GMT' }, 9000],
    [{ 'retry-after': 'Sun, 01 Mar 2026 09:00:00 GMT' }, 0],
    [{ 'x-retry-after': '3' }, 3000],
    [{ 'retry-after': '86400' }, maxMs],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('%j', (headers, expected) => {
    expect(retryAfterMs(headers, now, maxMs)).toBe(expected);
  });

  it('has no limit by default', () => {
    expect(retryAfterMs({ 'retry-after': '86400' }, now)).toBe(86_400_000);
  });
});
