/** A version of a resource: the text that its writer put in, or that it is a deletion. */
export type State =
  { readonly marker: string; readonly deleted?: never } | { readonly deleted: true; readonly marker?: never };

export type VersionState = { readonly id: string; readonly version: number } & State;

/** What a write was to do with one resource; its id is unknown when the service chooses it. */
export type Intent = { readonly id: string | undefined } & State;

/** How a request ended. `unknown`: the answer was lost, or says that the service was not available. */
export type Outcome = 'acknowledged' | 'refused' | 'unknown';

/** One request of a client. Times are of one monotonic clock, in milliseconds. */
export interface Operation {
  readonly name: string;
  readonly user: number;
  readonly started: number;
  readonly ended: number;
  readonly outcome: Outcome;
  /** Of the answer; undefined when there was none. */
  readonly status: number | undefined;
  /** What it may have written, if it was not refused. */
  readonly intents: readonly Intent[];
  /** What the answer says that this request wrote. */
  readonly written: readonly VersionState[];
  /** What the answer says that was stored. */
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
