import type { Findings } from '../report/finding';
import type { Http } from './http';

/** A part of the load, with a ledger of what was acknowledged to it. */
export interface Actor {
  /** The operations that must succeed again before the suite counts as recovered. */
  readonly operations: readonly string[];
  /** How much of what was acknowledged, such as `{ creates: 12 }`. */
  ledger(): Record<string, number>;
  /** Makes requests until the signal, and then ends what it does. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Compares what the suite holds with the ledger, once no load is on it any more.
   * @param http for requests that are not part of the load
   * @param signal when to give up
   */
  check(http: Http, signal: AbortSignal): Promise<Findings>;
}
