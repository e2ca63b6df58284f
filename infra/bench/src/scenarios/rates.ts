import type { Sequence } from '../load/sequence';
import type { ScenarioName } from '../options';
import type { Figure, Goal } from '../report/figure';
import { goals } from '../report/goals';
import type { MeasuredLoad, World } from '../world';
import { bareCreates, bareLives, bareReads, bareSearches, creates, lives, reads, searches } from './requests';

/** Requests of one kind, measured for some seconds from all connections, then the same on the bare routes. */
async function measureBoth(
  world: World,
  scenario: ScenarioName,
  work: string,
  goal: Goal,
  ours: Sequence[],
  bare: Sequence[],
): Promise<{ figure: Figure; ours: MeasuredLoad; bare: MeasuredLoad }> {
  const measured = await world.measure(work, ours);
  world.say(`${work}: ${Math.round(measured.rate)}/s`);
  const beside = await world.measureBare(bare);
  world.say(`  bare: ${Math.round(beside.rate)}/s`);
  const note = `${latencies(measured)}, bare ${latencies(beside)}; ${measured.processors}${failuresOf(measured)}`;
  const figure: Figure = {
    scenario,
    work,
    unit: '/s',
    value: measured.rate,
    bare: beside.rate,
    processorMs: measured.millisecondsEach,
    bareProcessorMs: beside.millisecondsEach,
    goal,
    note,
  };
  return { figure, ours: measured, bare: beside };
}

export function latencies({ latencies: { p50, p99 } }: MeasuredLoad): string {
  return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}

export function failuresOf({ failures, firstFailure }: MeasuredLoad): string {
  return failures === 0 ? '' : `; ${failures} FAILED, the first: ${firstFailure ?? ''}`;
}

export async function read(world: World): Promise<Figure[]> {
  return [
    (
      await measureBoth(
        world,
        'read',
        'read by id',
        goals.read,
        await reads(world, world.people),
        bareReads(world.people),
      )
    ).figure,
  ];
}

export async function search(world: World): Promise<Figure[]> {
  const { figure, ours, bare } = await measureBoth(
    world,
    'search',
    'search, first page of 20',
    goals.search,
    searches(world.people),
    bareSearches(world.people),
  );
  return [
    figure,
    {
      scenario: 'search',
      work: 'search, p99',
      unit: 'ms',
      value: ours.latencies.p99,
      bare: bare.latencies.p99,
      goal: goals.searchP99,
    },
  ];
}

export async function create(world: World): Promise<Figure[]> {
  return [
    (await measureBoth(world, 'create', 'create', goals.create, creates(world.people), bareCreates(world.people)))
      .figure,
  ];
}

export async function crud(world: World): Promise<Figure[]> {
  return [
    (
      await measureBoth(
        world,
        'crud',
        'create, read, update, delete',
        goals.crud,
        lives(world.people),
        bareLives(world.people),
      )
    ).figure,
  ];
}
