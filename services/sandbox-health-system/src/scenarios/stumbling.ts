import type { FhirExchange } from './scenario';

/**
 * Whether this request is one of those that fail: every so many-th new one, and only the first time that it is made.
 * The same request made again succeeds, also after the client was killed and began anew.
 */
export function stumbles(exchange: FhirExchange, every: number): boolean {
  const first = exchange.counters.count(`asked ${exchange.address}`) === 1;
  return first && exchange.counters.count('asked something new') % every === 0;
}
