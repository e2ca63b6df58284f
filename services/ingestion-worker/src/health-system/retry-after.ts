/**
 * The pause a 429 or 503 asks for, in ms: seconds or a date in `Retry-After`, or seconds in `X-Retry-After`; undefined when nothing readable is there.
 * @param now ms since 1970
 * @param longestMs what asks for more gets this
 */
export function retryAfterMs(
  headers: { 'retry-after'?: unknown; 'x-retry-after'?: unknown },
  now: number,
  longestMs: number,
): number | undefined {
  const text = [headers['retry-after'], headers['x-retry-after']]
    .find((value): value is string => typeof value === 'string' && value.trim() !== '')
    ?.trim();
  if (text === undefined) return undefined;
  const asked = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  if (Number.isNaN(asked)) return undefined;
  return Math.min(Math.max(asked, 0), longestMs);
}
