/**
 * The pause that a 429 or 503 requests, in milliseconds: `Retry-After` in seconds or as an HTTP date
 * (https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3), or the common non-standard `X-Retry-After`. Undefined when
 * neither is readable.
 * @param now epoch milliseconds
 * @param maxMs a longer pause is cut to this
 */
export function retryAfterMs(
  headers: { 'retry-after'?: unknown; 'x-retry-after'?: unknown },
  now: number,
  maxMs: number,
): number | undefined {
  const text = [headers['retry-after'], headers['x-retry-after']]
    .find((value): value is string => typeof value === 'string' && value.trim() !== '')
    ?.trim();
  if (text === undefined) return undefined;
  const pauseMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  if (Number.isNaN(pauseMs)) return undefined;
  return Math.min(Math.max(pauseMs, 0), maxMs);
}
