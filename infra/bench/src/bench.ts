import type { ScenarioName } from './options';
import { loadTemplates } from './people/load-templates';
import { bareRecord, type Person } from './people/person';
import type { RecordTemplate } from './people/record-template';
import type { Figure } from './report/figure';
import { bigRecord } from './scenarios/big-record';
import { collection } from './scenarios/collection';
import { directory } from './scenarios/directory';
import { disk } from './scenarios/disk';
import { bulkExport } from './scenarios/export';
import { Growth, growthFactor } from './scenarios/growth';
import { Ingest } from './scenarios/ingest';
import { create, crud, read, search } from './scenarios/rates';
import type { World } from './world';

/** Scenarios that need the people's records. Those that leave single new resources behind come last. */
const onRecords: [ScenarioName, (world: World) => Promise<Figure[]>][] = [
  ['disk', disk],
  ['export', bulkExport],
  ['read', read],
  ['search', search],
  ['create', create],
  ['crud', crud],
];

/** Scenarios that send requests to the bare routes. */
const onBareTable: ScenarioName[] = ['growth', 'read', 'search', 'create', 'crud'];

export interface BenchResult {
  figures: Figure[];
  /** Scenarios that could not be measured, and why. */
  failures: { scenario: ScenarioName; reason: string }[];
}

/** Runs the chosen scenarios, one after the other; one that fails does not keep the others from running, an interruption does. */
export async function runBench(world: World, interruption: AbortSignal): Promise<BenchResult> {
  const result: BenchResult = { figures: [], failures: [] };
  const attempt = async (scenario: ScenarioName, work: () => Promise<Figure[]>): Promise<void> => {
    if (!world.options.only.has(scenario) || interruption.aborted) return;
    world.say(scenario);
    try {
      result.figures.push(...(await work()));
    } catch (error) {
      if (interruption.aborted) return;
      const reason = error instanceof Error ? error.message : 'unknown reason';
      world.say(`  failed: ${reason}`);
      result.failures.push({ scenario, reason });
    }
  };
  const templates = await loadTemplates(world);
  if (
    [...onRecords.map(([name]) => name), 'ingest' as const, 'growth' as const].some((name) =>
      world.options.only.has(name),
    )
  ) {
    await loadRecords(world, templates, attempt);
    for (const [name, scenario] of onRecords) await attempt(name, () => scenario(world));
  }
  await attempt('big', () => bigRecord(world, templates));
  await attempt('collection', () => collection(world));
  await attempt('directory', () => directory(world));
  return result;
}

type Attempt = (scenario: ScenarioName, work: () => Promise<Figure[]>) => Promise<void>;

/** Makes the users and stores their records: first a 64th of them, to see what one search takes, then all. */
async function loadRecords(world: World, templates: readonly RecordTemplate[], attempt: Attempt): Promise<void> {
  world.say(`making ${world.options.users} users`);
  const users = await world.newUsers(world.options.users);
  const people = users.map((user, place): Person => ({
    ...user,
    template: templates[place % templates.length] as RecordTemplate,
  }));
  const few = people.slice(0, Math.max(1, Math.floor(people.length / growthFactor)));
  const ingest = new Ingest(world);
  const growth = new Growth(world, few);
  world.say('storing their records');
  await ingest.load(few);
  await attempt('growth', () => growth.before().then(() => []));
  await ingest.load(people.slice(few.length));
  await attempt('ingest', () => ingest.figures());
  if (onBareTable.some((name) => world.options.only.has(name))) {
    world.say('storing the same in the bare table');
    await world.bare.fill(world.people.slice(world.options.only.has('growth') ? few.length : 0).map(bareRecord));
  }
  await attempt('growth', () => growth.after(world.people.length / few.length));
}
