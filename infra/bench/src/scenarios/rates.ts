import type { LoadResult, Sequence } from '../load/sequence';
import type { ScenarioName } from '../options';
import type { Figure, Goal } from '../report/figure';
import { goals } from '../report/goals';
import type { MeasuredLoad, BenchContext } from '../bench-context';
import { bareCreates, bareLives, bareReads, bareSearches, creates, lives, reads, searches } from './requests';

/** Measures requests of one kind on all connections, first at the suite, then on the bare routes. */
async function measureBoth(
  context: BenchContext,
  scenario: ScenarioName,
  work: string,
  goal: Goal,
  ours: Sequence[],
  bare: Sequence[],
): Promise<{ figure: Figure; ours: MeasuredLoad; bare: MeasuredLoad }> {
  const {
    result: [measured, beside],
    empty,
  } = await context.besideEmpty(
    async () => [await context.measure(work, ours), await context.measureBare(bare)] as const,
  );
  context.log(`${work}: ${Math.round(measured.rate)}/s, bare ${Math.round(beside.rate)}/s`);
  const note = `${latencies(measured)}, bare ${latencies(beside)}; empty ${Math.round(empty)}/s; ${measured.processors}${failuresOf(measured)}`;
  const figure: Figure = {
    scenario,
    work,
    unit: '/s',
    value: measured.rate,
    bare: beside.rate,
    processorMs: measured.millisecondsEach,
    bareProcessorMs: beside.millisecondsEach,
    ofEmpty: measured.rate / empty,
    goal,
    note,
  };
  return { figure, ours: measured, bare: beside };
}

export function latencies({ latencies: { p50, p99 } }: MeasuredLoad): string {
  return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}

export function failuresOf({ failures, firstFailure }: LoadResult): string {
  return failures === 0 ? '' : `; ${failures} FAILED, the first: ${firstFailure ?? ''}`;
}

async function readBoth(context: BenchContext, scenario: ScenarioName, work: string): Promise<Figure> {
  const { people } = context;
  return (await measureBoth(context, scenario, work, goals.read, await reads(context, people), bareReads(people)))
    .figure;
}

function searchBoth(context: BenchContext, scenario: ScenarioName, work: string): ReturnType<typeof measureBoth> {
  const { people } = context;
  return measureBoth(context, scenario, work, goals.search, searches(people), bareSearches(people));
}

/** Reads and searches in tables that PostgreSQL has not analysed yet. */
export async function fresh(context: BenchContext): Promise<Figure[]> {
  const read = await readBoth(context, 'fresh', 'read by id, tables not analysed');
  return [read, (await searchBoth(context, 'fresh', 'search, tables not analysed')).figure];
}

export async function read(context: BenchContext): Promise<Figure[]> {
  return [await readBoth(context, 'read', 'read by id')];
}

export async function search(context: BenchContext): Promise<Figure[]> {
  const { figure, ours, bare } = await searchBoth(context, 'search', 'search, first page of 20');
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

export async function create(context: BenchContext): Promise<Figure[]> {
  return [
    (await measureBoth(context, 'create', 'create', goals.create, creates(context.people), bareCreates(context.people)))
      .figure,
  ];
}

export async function crud(context: BenchContext): Promise<Figure[]> {
  return [
    (
      await measureBoth(
        context,
        'crud',
        'create, read, update, delete',
        goals.crud,
        lives(context.people),
        bareLives(context.people),
      )
    ).figure,
  ];
}
