import type { ReadyEvent } from '@tributary/local';
import type { Findings } from '../findings';
import type { Http } from './http';
import type { ClientCredentials } from './users';
import type { WebhookReceiver } from './webhook-receiver';

/** What all parts of a load share. */
export interface Load {
  readonly ready: ReadyEvent;
  readonly client: ClientCredentials;
  readonly webhooks: WebhookReceiver;
  readonly http: Http;
  readonly findings: Findings;
}

/** A part of the load, with a ledger of what the suite acknowledged. */
export interface Workload {
  /** The operations that must succeed again before the suite counts as recovered. */
  readonly operations: readonly string[];
  /** The number of acknowledged operations, such as `{ creates: 12 }`. */
  ledger(): Record<string, number>;
  /** Sends requests until the signal is aborted, and completes the last one. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Compares the data of the suite with the ledger after the load has ended.
   * @param http for requests that are not part of the load
   * @param signal aborts the check
   */
  check(http: Http, signal: AbortSignal): Promise<void>;
}
