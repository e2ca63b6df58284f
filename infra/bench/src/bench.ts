import type { ScenarioName } from './options';
import { loadTemplates } from './people/load-templates';
import { bareRecord, type Person } from './people/person';
import type { RecordTemplate } from './people/record-template';
import type { Figure } from './report/figure';
import { bundles } from './scenarios/bundles';
import { Collection } from './scenarios/collection';
import { crowded } from './scenarios/crowded';
import { directory } from './scenarios/directory';
import { disk } from './scenarios/disk';
import { bulkExport } from './scenarios/export';
import { Growth, growthFactor } from './scenarios/growth';
import { Ingest } from './scenarios/ingest';
import { create, crud, fresh, read, search } from './scenarios/rates';
import { recordSizes } from './scenarios/record-sizes';
import type { BenchContext } from './bench-context';

/** Scenarios that need stored records. Those that create further resources come last. */
const onRecords: [ScenarioName, (context: BenchContext) => Promise<Figure[]>][] = [
  ['disk', disk],
  ['export', bulkExport],
  ['read', read],
  ['search', search],
  ['create', create],
  ['crud', crud],
  ['bundles', bundles],
];

/** Scenarios that send requests to the bare routes. */
const onBareTable: ScenarioName[] = ['fresh', 'growth', 'read', 'search', 'create', 'crud'];

export interface BenchResult {
  figures: Figure[];
  /** Scenarios that failed, with the reason. */
  failures: { scenario: ScenarioName; reason: string }[];
}

/** Runs the chosen scenarios one after the other. It continues after a failure, and stops on an interruption. */
export async function runBench(context: BenchContext, interruption: AbortSignal): Promise<BenchResult> {
  const result: BenchResult = { figures: [], failures: [] };
  const attempt = async (scenario: ScenarioName, work: () => Promise<Figure[]>): Promise<void> => {
    if (!context.options.only.has(scenario) || interruption.aborted) return;
    context.log(scenario);
    try {
      result.figures.push(...(await work()));
    } catch (error) {
      if (interruption.aborted) return;
      const reason = error instanceof Error ? error.message : 'unknown reason';
      context.log(`  failed: ${reason}`);
      result.failures.push({ scenario, reason });
    }
  };
  const collection = new Collection(context);
  await attempt('collection', () => collection.before().then(() => []));
  const templates = await loadTemplates(context);
  if (
    [...onRecords.map(([name]) => name), 'ingest' as const, 'fresh' as const, 'growth' as const].some((name) =>
      context.options.only.has(name),
    )
  ) {
    await loadRecords(context, templates, attempt);
    for (const [name, scenario] of onRecords) await attempt(name, () => scenario(context));
  }
  await attempt('crowded', () => crowded(context));
  await attempt('sizes', () => recordSizes(context, templates));
  await attempt('collection', () => collection.after());
  await attempt('directory', () => directory(context));
  return result;
}

type Attempt = (scenario: ScenarioName, work: () => Promise<Figure[]>) => Promise<void>;

/** Creates users and stores their records: first a 64th of them, for the growth scenario, then the rest. */
async function loadRecords(
  context: BenchContext,
  templates: readonly RecordTemplate[],
  attempt: Attempt,
): Promise<void> {
  context.log(`making ${context.options.users} users`);
  const users = await context.newUsers(context.options.users);
  const people = users.map((user, index): Person => ({
    ...user,
    template: templates[index % templates.length] as RecordTemplate,
  }));
  const few = people.slice(0, Math.max(1, Math.floor(people.length / growthFactor)));
  const ingest = new Ingest(context);
  const growth = new Growth(context, few);
  context.log('storing their records');
  await ingest.load(few);
  const isBareUsed = onBareTable.some((name) => context.options.only.has(name));
  if (isBareUsed) await context.bare.fill(few.map(bareRecord));
  await attempt('fresh', () => fresh(context));
  await attempt('growth', () => growth.before().then(() => []));
  await ingest.load(people.slice(few.length));
  await attempt('ingest', () => ingest.figures());
  if (isBareUsed) {
    context.log('storing the same in the bare table');
    await context.bare.fill(context.people.slice(few.length).map(bareRecord));
  }
  await attempt('growth', () => growth.after(context.people.length / few.length));
}
