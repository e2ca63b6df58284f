import { counter } from './counter';

/** Counted where requests are refused; `limit` is the name of the limit, never its key. */
export const rateLimitRefusals = counter(
  'tributary_rate_limit_refusals_total',
  'The requests that a rate limit has refused, by the name of the limit.',
  ['limit'],
);
