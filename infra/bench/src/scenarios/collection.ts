import type { Figure } from '../report/figure';
import { goals } from '../report/goals';
import { MemoryWatch, overTime } from '../suite/resident-memory';
import type { World } from '../world';
import { collect } from './collecting';

/** A large record collected from the sandbox: how fast, and whether the worker's memory stays flat. */
export async function collection(world: World): Promise<Figure[]> {
  const [user] = await world.newUsers(1);
  if (!user) throw new Error('there is nobody to collect for');
  const memory = new MemoryWatch(world.pidOf('ingestion-worker'));
  const time = world.processorTime();
  const { resources, seconds } = await world
    .profiled('collection', () => collect(world, user, `load-${world.options.collect}`))
    .finally(() => memory.stop());
  const most = Math.max(...memory.samples);
  if (resources !== world.options.collect)
    throw new Error(`${resources} of ${world.options.collect} resources were collected`);
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
      work: "worker's memory, growth",
      unit: '-fold',
      value: most / settled,
      goal: goals.collectionMemory,
      note: `most of all against after a quarter of the time; resident: ${overTime(memory.samples)}, at most ${Math.round(most)} MB`,
    },
  ];
}
