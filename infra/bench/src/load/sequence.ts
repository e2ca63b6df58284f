/**
 * One HTTP request. `{id}` in path and body is replaced by the id of the resource that the first request of the
 * sequence created.
 */
export interface RequestStep {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  headers: Record<string, string>;
  /** `{id}` is replaced in text only. */
  body?: string | Uint8Array;
  /** The only status that counts as success. */
  expect: number;
}

/** Requests that follow one another on one connection. */
export type Sequence = RequestStep[];

/**
 * A job of the load process: all connections share the sequences, and each sends its next request after the response to
 * the last.
 */
export interface LoadJob {
  origin: string;
  connections: number;
  /** The time in which requests are sent and not counted, in seconds. */
  warmUpSeconds: number;
  seconds: number;
  sequences: Sequence[];
}

export interface Latencies {
  p50: number;
  p90: number;
  p99: number;
  max: number;
}

export interface LoadResult {
  /** Counted requests with the expected status. */
  requests: number;
  seconds: number;
  bytes: number;
  failures: number;
  /** Describes the first failure. */
  firstFailure?: string;
  /** Milliseconds from the first byte sent to the last byte received. */
  latencies: Latencies;
}

/** Replaces `{id}` by the id of the created resource. */
export function withId(step: RequestStep, id: string): RequestStep {
  const { body } = step;
  const hasId = typeof body === 'string' && body.includes('{id}');
  if (!step.path.includes('{id}') && !hasId) return step;
  return { ...step, path: step.path.replaceAll('{id}', id), ...(hasId ? { body: body.replaceAll('{id}', id) } : {}) };
}

/** The id in a Location such as http://host/r4/Observation/5f…/_history/1, or in one without a version. */
export function idOfLocation(location: string): string {
  const [, id = ''] = /([^/?#]+)(?:\/_history\/[^/]+)?$/.exec(location) ?? [];
  return id;
}
