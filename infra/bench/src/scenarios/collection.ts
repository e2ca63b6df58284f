import type { Figure } from '../report/figure';
import { goals } from '../report/goals';
import { MemoryWatch, overTime } from '../suite/resident-memory';
import type { BenchContext } from '../bench-context';
import { collect } from './collecting';

/** Collects a record into the empty store, which `collection` is compared with. */
export class EmptyStoreCollection {
  seconds: number | undefined;

  async measure(context: BenchContext): Promise<Figure[]> {
    const [user] = await context.newUsers(1);
    if (!user) throw new Error('there is no user to collect for');
    this.seconds = (await collect(context, user, `load-${context.options.collect}`)).seconds;
    return [];
  }
}

/** Collects a large record from the sandbox: the rate, and the growth of the worker's memory. */
export async function collection(context: BenchContext, empty: EmptyStoreCollection): Promise<Figure[]> {
  const [user] = await context.newUsers(1);
  if (!user) throw new Error('there is no user to collect for');
  const memory = new MemoryWatch(context.pidOf('ingestion-worker'));
  const time = context.processorTime();
  const { resources, seconds } = await context
    .profiled('collection', () => collect(context, user, `load-${context.options.collect}`))
    .finally(() => memory.stop());
  const most = Math.max(...memory.samples);
  if (resources !== context.options.collect)
    throw new Error(`${resources} of ${context.options.collect} resources were collected`);
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
    ...(empty.seconds === undefined
      ? []
      : [
          {
            scenario: 'collection' as const,
            work: 'collection, time beside data of others',
            unit: '-fold' as const,
            value: seconds / empty.seconds,
            goal: goals.collectionGrowth,
            note: `${empty.seconds.toFixed(1)} s into an empty store, ${seconds.toFixed(1)} s beside the records of ${context.people.length} users`,
          },
        ]),
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
