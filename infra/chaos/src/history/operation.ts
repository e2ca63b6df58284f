/** A version of a resource: the marker of its writer, or a deletion. */
export type State =
  | { readonly marker: string; readonly deleted?: never }
  | { readonly deleted: true; readonly marker?: never };

export type VersionState = { readonly id: string; readonly version: number } & State;

/** The intended effect of a write on one resource; the id is unknown when the service assigns it. */
export type Intent = { readonly id: string | undefined } & State;

/** How a request ended. `unknown`: the response was lost, or its status means that the service was not available. */
export type Outcome = 'acknowledged' | 'refused' | 'unknown';

/** One request of a client. Times are of one monotonic clock, in milliseconds. */
export interface Operation {
  readonly name: string;
  readonly user: number;
  readonly started: number;
  readonly ended: number;
  readonly outcome: Outcome;
  /** The status of the response; undefined without a response. */
  readonly status: number | undefined;
  /** The possible writes of the request unless it was rejected. */
  readonly intents: readonly Intent[];
  /** The writes of the request according to its response. */
  readonly written: readonly VersionState[];
  /** The stored versions that the response contains. */
  readonly seen: readonly VersionState[];
}

/** An export taken during the run. */
export interface TakenExport {
  readonly user: number;
  readonly started: number;
  /** The snapshot time, exclusive, in epoch milliseconds. */
  readonly at: number;
  readonly resources: readonly VersionState[];
}
