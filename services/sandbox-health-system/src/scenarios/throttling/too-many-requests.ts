import { problemReply } from '../../fhir/operation-outcome';
import type { FhirExchange, Scenario } from '../scenario';
import { failsFirstTime } from '../fails-first';

/** A scenario that throttles every third distinct request the first time, with or without `Retry-After`. */
function throttling(
  name: string,
  status: number,
  header: string,
  headers: (exchange: FhirExchange) => Record<string, string>,
): Scenario {
  return {
    name,
    area: '429 / 503',
    does: `Answers ${status} ${header} to every third request the first time that it is made.`,
    before: (exchange) =>
      failsFirstTime(exchange, 3)
        ? problemReply(exchange.release, status, 'throttled', 'too many requests', headers(exchange))
        : undefined,
  };
}

const inAWhile = (now: number): string => new Date(now + 2_000).toUTCString();

export const retryAfterSeconds = throttling('retry-after-seconds', 429, 'with Retry-After: 1', () => ({
  'Retry-After': '1',
}));
export const retryAfterDate = throttling('retry-after-date', 429, 'with Retry-After as a date', ({ now }) => ({
  'Retry-After': inAWhile(now),
}));
export const retryAfterOther = throttling('retry-after-other-header', 429, 'with X-Retry-After: 1', () => ({
  'X-Retry-After': '1',
}));
export const retryAfterUntold = throttling('retry-after-untold', 429, 'without saying when to come again', () => ({}));
export const retryAfterLong = throttling('retry-after-long', 429, 'with a Retry-After of a day', () => ({
  'Retry-After': '86400',
}));
export const retryAfterNonsense = throttling('retry-after-nonsense', 429, 'with Retry-After: soon', () => ({
  'Retry-After': 'soon',
}));
export const unavailable = throttling('unavailable', 503, 'with Retry-After: 1', () => ({ 'Retry-After': '1' }));
