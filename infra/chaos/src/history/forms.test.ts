import { hasPgBouncer } from '@tributary/local-databases';
import { type Form, plainForm } from './form';
import { renderReport } from './report';
import { runHistoryCheck } from './run';

const forms: [name: string, Partial<Form>][] = [
  ['a Redis Cluster', { redis: 'cluster' }],
  ['Redis Sentinel', { redis: 'sentinel' }],
  ...(hasPgBouncer ? [['PgBouncer', { pgbouncer: true }] satisfies [string, Partial<Form>]] : []),
  ['exports from a streaming replica', { readReplica: true }],
  ['large content in an object storage', { objectStorage: true }],
];

it.each(forms)(
  'keeps every acknowledged write in the history exactly once, with %s',
  async (name, form) => {
    const seed = Number(process.env['TEST_SEED']);
    const report = await runHistoryCheck({ seed, seconds: undefined, form: { ...plainForm, ...form } });
    process.stdout.write(`with ${name}: ${renderReport(report, { seed })}`);
    expect(report.violations).toEqual([]);
    expect(report.crashes).toHaveLength(3);
    expect(report.exports).toBeGreaterThan(0);
    const isOfLarge = report.operations.some(({ name: kind, written }) => kind === 'putLarge' && written.length > 0);
    expect(isOfLarge).toBe(form.objectStorage === true);
  },
  3_600_000,
);
