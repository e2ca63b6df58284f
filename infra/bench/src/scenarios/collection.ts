import type { Figure } from '../report/figure';
import { goals } from '../report/goals';
import { MemoryWatch, overTime } from '../suite/resident-memory';
import type { BenchContext } from '../bench-context';
import { type Collected, collect } from './collecting';

/** Collects a large record from the sandbox, into the empty store and beside the records of others. */
export class Collection {
  #intoEmpty: number | undefined;

  constructor(private readonly context: BenchContext) {}

  async before(): Promise<void> {
    this.#intoEmpty = (await this.#collect()).seconds;
  }

  /** The rate, its growth since `before`, and the growth of the worker's memory. */
  async after(): Promise<Figure[]> {
    if (this.#intoEmpty === undefined) throw new Error('nothing was collected into the empty store');
    const { context } = this;
    const memory = new MemoryWatch(context.pidOf('ingestion-worker'));
    const time = context.processorTime();
    const { resources, seconds } = await context
      .profiled('collection', () => this.#collect())
      .finally(() => memory.stop());
    const most = Math.max(...memory.samples);
    const settled = memory.samples[Math.floor(memory.samples.length / 4)] ?? most;
    return [
      {
        scenario: 'collection',
        work: 'collection from the sandbox',
        unit: '/s',
        value: resources / seconds,
        processorMs: time.millisecondsEach(resources),
        goal: goals.collection,
        note: `${resources} resources in ${seconds.toFixed(1)} s; ${time.summary()}`,
      },
      {
        scenario: 'collection',
        work: 'collection, time beside data of others',
        unit: '-fold',
        value: seconds / this.#intoEmpty,
        goal: goals.collectionGrowth,
        note: `${this.#intoEmpty.toFixed(1)} s into an empty store, ${seconds.toFixed(1)} s beside the records of ${context.people.length} users`,
      },
      {
        scenario: 'collection',
        work: "worker's memory, growth",
        unit: '-fold',
        value: most / settled,
        goal: goals.collectionMemory,
        note: `the maximum compared with the value after a quarter of the time; resident: ${overTime(memory.samples)}, at most ${Math.round(most)} MB`,
      },
    ];
  }

  async #collect(): Promise<Collected> {
    const { context } = this;
    const [user] = await context.newUsers(1);
    if (!user) throw new Error('there is no user to collect for');
    const collected = await collect(context, user, `load-${context.options.collect}`);
    if (collected.resources !== context.options.collect)
      throw new Error(`${collected.resources} of ${context.options.collect} resources were collected`);
    return collected;
  }
}
