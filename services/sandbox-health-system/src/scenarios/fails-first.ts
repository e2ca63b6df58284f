import type { FhirExchange } from './scenario';

/**
 * Whether this request is to fail: every `every`-th distinct request of a grant fails, the first time that it is made.
 * The repeated request succeeds, also after a restart of the client.
 */
export function failsFirstTime(exchange: FhirExchange, every: number): boolean {
  const first = exchange.counters.count(`requested ${exchange.address}`) === 1;
  return first && exchange.counters.count('distinct requests') % every === 0;
}
