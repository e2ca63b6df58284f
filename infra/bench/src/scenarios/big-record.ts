import type { RequestStep } from '../load/sequence';
import { type RecordTemplate, copyOf } from '../people/record-template';
import type { Figure } from '../report/figure';
import { goals } from '../report/goals';
import { MemoryWatch, overTime } from '../suite/resident-memory';
import type { World } from '../world';
import { storeLines } from './ingest';
import { bareSearchByCode, searchByCode } from './requests';

const atOnce = 4;

/** One user with very many resources: search by code, a page of 20. */
export async function bigRecord(world: World, templates: readonly RecordTemplate[]): Promise<Figure[]> {
  const [user] = await world.newUsers(1);
  const template = [...templates].sort((a, b) => b.codes.length - a.codes.length)[0];
  if (!user || !template) throw new Error('there is nobody to give a big record to');
  const copies = await storeCopies(world, user.userId, template);
  const resources = copies * template.lines.length;
  await world.bare.fill([{ userId: user.userId, template, copies }]);
  const each = template.codes.map((code) => ({
    ours: [searchByCode(user, code)],
    bare: [bareSearchByCode(user.userId, code)],
  }));
  const memory = new MemoryWatch(world.pidOf('fhir-store'));
  const ours = await world.measure(
    'search in the big record',
    each.map((one) => one.ours as RequestStep[]),
    { connections: 1 },
  );
  const most = memory.stop();
  const bare = await world.measureBare(
    each.map((one) => one.bare as RequestStep[]),
    { connections: 1 },
  );
  const counts = template.codes.map(({ count }) => count * copies);
  const note = `${resources} resources, ${each.length} codes with ${Math.min(...counts)} to ${Math.max(...counts)} each; p99 ${ours.latencies.p99.toFixed(1)} ms, bare ${bare.latencies.p99.toFixed(1)} ms; resident memory of fhir-store ${overTime(memory.samples, 4)}, at most ${Math.round(most)} MB`;
  return [
    {
      scenario: 'big',
      work: 'search in one big record',
      unit: 'ms',
      value: ours.latencies.p50,
      bare: bare.latencies.p50,
      goal: goals.bigSearch,
      note,
    },
  ];
}

/** Stores the template again and again under other ids, for as long as loading may take. */
async function storeCopies(world: World, userId: number, template: RecordTemplate): Promise<number> {
  const wanted = Math.ceil(world.options.big / template.lines.length);
  const end = performance.now() + world.options.loadSeconds * 1000;
  let begun = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (begun < wanted && performance.now() < end)
        await storeLines(world, userId, copyOf(template.lines, begun++));
    }),
  );
  world.say(`one record of ${begun * template.lines.length} resources`);
  return begun;
}
