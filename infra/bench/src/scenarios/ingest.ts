import { type BatchSource } from '@tributary/contracts';
import { bareRecord, fhirHeaders, type Person } from '../people/person';
import type { Figure } from '../report/figure';
import { goals } from '../report/goals';
import { callJson, inParallel } from '../suite/http';
import type { BenchContext } from '../bench-context';
import { z } from 'zod';

/** The number of concurrent batches, as from one busy worker. */
const atOnce = 4;
const linesInBatch = 500;
/** The number of records that are also stored in the bare database for comparison. */
const comparedRecords = 100;

const counted = z.object({ total: z.int() });

/** The source of every batch of the benchmark. */
function benchSource(context: BenchContext): BatchSource {
  return {
    client_id: context.client.client_id,
    release: 'r4',
    health_system_id: context.suite.running.ready.sandbox.health_system_id,
    fhir_base_url: 'https://fhir.example.org/r4',
  };
}

/** Stores NDJSON lines for a user, as the worker does. */
export async function storeLines(context: BenchContext, userId: number, lines: readonly string[]): Promise<void> {
  for (let from = 0; from < lines.length; from += linesInBatch) {
    const batch = lines.slice(from, from + linesInBatch);
    const { results } = await context.records.storeBatch(userId, benchSource(context), `${batch.join('\n')}\n`);
    const failed = results.find(({ outcome }) => outcome === 'failed');
    if (failed) throw new Error(`a resource was not stored: ${failed.reason ?? 'no reason given'}`);
  }
}

/** Stores the records through the internal API that the worker uses, and measures the rate. */
export class Ingest {
  #resources = 0;
  #bytes = 0;
  #seconds = 0;
  #people: Person[] = [];
  #processors = '';
  #processorMs = 0;

  constructor(private readonly context: BenchContext) {}

  /** Stores records until all are stored or the time limit is reached. Adds the stored ones to `context.people`. */
  async load(people: readonly Person[]): Promise<void> {
    const { context } = this;
    const began = performance.now();
    const end = began + context.options.loadSeconds * 1000 - this.#seconds * 1000;
    const time = context.processorTime();
    const before = this.#resources;
    let loggedAt = began;
    const storing = (): Promise<void> =>
      inParallel(people, atOnce, async (person) => {
        if (performance.now() > end) return;
        await storeLines(context, person.userId, person.template.lines);
        this.#people.push(person);
        context.people.push(person);
        this.#resources += person.template.lines.length;
        this.#bytes += person.template.lines.reduce((sum, line) => sum + line.length + 1, 0);
        if (performance.now() - loggedAt < 5000) return;
        loggedAt = performance.now();
        context.log(`  ${context.people.length} records, ${this.#resources} resources`);
      });
    await (context.options.only.has('ingest') ? context.profiled('ingest', storing) : storing());
    this.#seconds += (performance.now() - began) / 1000;
    this.#processors = time.summary();
    this.#processorMs = time.millisecondsEach(this.#resources - before);
    await this.#requireSearchable();
  }

  /** @returns the rate, compared with COPY of the same lines with their primary key */
  async figures(): Promise<Figure[]> {
    const compared = this.#people.slice(0, comparedRecords);
    const lines = compared.reduce((sum, { template }) => sum + template.lines.length, 0);
    const bare = lines / (await this.context.bare.copyLines(compared.map(bareRecord)));
    const value = this.#resources / this.#seconds;
    const note = `${this.#resources} resources of ${this.#people.length} users in ${this.#seconds.toFixed(1)} s, ${(this.#bytes / 1e6 / this.#seconds).toFixed(1)} MB/s, ${Math.round(this.#bytes / this.#resources)} B each; bare: COPY of lines as text; ${this.#processors}`;
    return [
      {
        scenario: 'ingest',
        work: 'batch ingest, resources',
        unit: '/s',
        value,
        bare,
        processorMs: this.#processorMs,
        goal: goals.ingest,
        note,
      },
    ];
  }

  /** @throws Error when a search after the last batch does not find all stored Observations */
  async #requireSearchable(): Promise<void> {
    const person = this.#people.at(-1);
    if (!person) throw new Error('no record could be stored in the time');
    const expected = person.template.resources.filter(({ type }) => type === 'Observation').length;
    const { total } = await callJson(counted, `${this.context.origin}/r4/Observation?_summary=count`, {
      headers: fhirHeaders(person),
    });
    if (total !== expected) throw new Error(`${expected} Observations were stored and a search finds ${total}`);
  }
}
