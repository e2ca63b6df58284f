/**
 * The delay that a 429 or 503 requests: `Retry-After` in seconds or as an HTTP date, or the common non-standard
 * `X-Retry-After`.
 * @param now epoch milliseconds
 * @param maxMs the limit of a longer delay; none by default
 * @returns milliseconds; undefined when neither header is readable
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
 */
export function retryAfterMs(
  headers: Readonly<Record<string, unknown>>,
  now: number,
  maxMs = Infinity,
): number | undefined {
  const text = [headers['retry-after'], headers['x-retry-after']]
    .find((value): value is string => typeof value === 'string' && value.trim() !== '')
    ?.trim();
  if (text === undefined) return undefined;
  const delayMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  if (Number.isNaN(delayMs)) return undefined;
  return Math.min(Math.max(delayMs, 0), maxMs);
}
