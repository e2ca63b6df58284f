import { Client } from 'undici';
import { LatencySamples } from './latencies';
import { type LoadJob, type LoadResult, type RequestStep, type Sequence, idOfLocation, withId } from './sequence';

interface Answer {
  status: number;
  bytes: number;
  location: string | undefined;
  /** The first characters of the body when the status is not the expected one. */
  errorText: string;
}

/**
 * Sends the requests of a job for its duration: a closed loop over keep-alive connections, one request in flight on
 * each.
 */
export async function runClosedLoop(job: LoadJob): Promise<LoadResult> {
  const tally = new Tally();
  const walk = endless(job.sequences);
  const clients = Array.from(
    { length: job.connections },
    () =>
      new Client(job.origin, { pipelining: 1, keepAliveTimeout: 60_000, headersTimeout: 60_000, bodyTimeout: 60_000 }),
  );
  const begin = performance.now() + job.warmUpSeconds * 1000;
  const end = begin + job.seconds * 1000;
  try {
    await Promise.all(clients.map((client) => driveConnection(client, walk, tally, begin, end)));
    return tally.result((performance.now() - begin) / 1000);
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
}

async function driveConnection(
  client: Client,
  walk: () => Sequence,
  tally: Tally,
  begin: number,
  end: number,
): Promise<void> {
  while (performance.now() < end) {
    let id = '';
    for (const step of walk()) {
      const sent = performance.now();
      if (sent >= end) return;
      const answer = await send(client, withId(step, id));
      const received = performance.now();
      if (answer.location !== undefined) id ||= idOfLocation(answer.location);
      if (received < begin) continue;
      tally.note(step, answer, received - sent);
      if (answer.status !== step.expect) break;
    }
  }
}

/** Returns the next sequence at each call, and starts again after the last. All connections share the iteration. */
function endless(sequences: readonly Sequence[]): () => Sequence {
  let next = 0;
  return () => {
    const sequence = sequences[next++ % sequences.length];
    if (!sequence) throw new Error('there is nothing to send');
    return sequence;
  };
}

function send(client: Client, step: RequestStep): Promise<Answer> {
  return new Promise((resolve) => {
    const answer: Answer = { status: 0, bytes: 0, location: undefined, errorText: '' };
    client.dispatch(
      { method: step.method, path: step.path, headers: step.headers, body: step.body ?? null },
      {
        onRequestStart: () => undefined, // undici recognizes the current handler interface by this method.
        onResponseStart: (_controller, status, headers) => {
          answer.status = status;
          if (typeof headers['location'] === 'string') answer.location = headers['location'];
        },
        onResponseData: (_controller, chunk) => {
          answer.bytes += chunk.length;
          if (answer.status !== step.expect && answer.errorText === '')
            answer.errorText = chunk.subarray(0, 400).toString();
        },
        onResponseEnd: () => resolve(answer),
        onResponseError: (_controller, error) => resolve({ ...answer, status: 0, errorText: error.message }),
      },
    );
  });
}

class Tally {
  readonly #samples = new LatencySamples();
  #bytes = 0;
  #failures = 0;
  #firstFailure: string | undefined;

  note(step: RequestStep, answer: Answer, milliseconds: number): void {
    if (answer.status !== step.expect) {
      this.#failures++;
      this.#firstFailure ??= `${step.method} ${step.path} returned ${answer.status}, not ${step.expect}: ${answer.errorText}`;
      return;
    }
    this.#samples.add(milliseconds);
    this.#bytes += answer.bytes;
  }

  result(seconds: number): LoadResult {
    return {
      requests: this.#samples.count,
      seconds,
      bytes: this.#bytes,
      failures: this.#failures,
      ...(this.#firstFailure === undefined ? {} : { firstFailure: this.#firstFailure }),
      latencies: this.#samples.summary(),
    };
  }
}
