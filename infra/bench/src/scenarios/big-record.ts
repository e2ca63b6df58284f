import type { RequestStep } from '../load/sequence';
import { type RecordTemplate, copyOf } from '../people/record-template';
import type { Figure } from '../report/figure';
import { goals } from '../report/goals';
import { MemoryWatch, overTime } from '../suite/resident-memory';
import type { BenchContext } from '../bench-context';
import { storeLines } from './ingest';
import { bareSearchByCode, searchByCode } from './requests';

const atOnce = 4;

/** Searches by code in the record of one user with many resources. A page has 20 matches. */
export async function bigRecord(context: BenchContext, templates: readonly RecordTemplate[]): Promise<Figure[]> {
  const [user] = await context.newUsers(1);
  const template = [...templates].sort((a, b) => b.codes.length - a.codes.length)[0];
  if (!user || !template) throw new Error('there is no user for the big record');
  const copies = await storeCopies(context, user.userId, template);
  const resources = copies * template.lines.length;
  await context.bare.fill([{ userId: user.userId, template, copies }]);
  const each = template.codes.map((code) => ({
    ours: [searchByCode(user, code)],
    bare: [bareSearchByCode(user.userId, code)],
  }));
  const memory = new MemoryWatch(context.pidOf('fhir-store'));
  const ours = await context.measure(
    'search in the big record',
    each.map((one) => one.ours as RequestStep[]),
    { connections: 1 },
  );
  const most = memory.stop();
  const bare = await context.measureBare(
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

/**
 * Stores copies of the template with other ids until the record is large enough or the time limit is reached.
 * @returns the number of copies
 */
async function storeCopies(context: BenchContext, userId: number, template: RecordTemplate): Promise<number> {
  const wanted = Math.ceil(context.options.big / template.lines.length);
  const end = performance.now() + context.options.loadSeconds * 1000;
  let begun = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (begun < wanted && performance.now() < end)
        await storeLines(context, userId, copyOf(template.lines, begun++));
    }),
  );
  context.log(`one record of ${begun * template.lines.length} resources`);
  return begun;
}
