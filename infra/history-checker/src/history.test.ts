import { parseOptions } from './options';
import { renderReport } from './report';
import { runHistoryCheck } from './run';

// A run in which two replicas and PostgreSQL are killed; its seed is in the report.
it('keeps every acknowledged write in the history exactly once', async () => {
  const parsed = parseOptions(['--seed', String(process.env['TEST_SEED'])]);
  if (parsed === 'help') throw new Error('options were expected');
  // The number of requests ends the run, however slow the machine is.
  const options = { ...parsed, seconds: 3000 };
  const report = await runHistoryCheck(options);
  process.stdout.write(renderReport(report, options));
  expect(report.violations).toEqual([]);
  expect(report.crashes).toHaveLength(options.crashes);
}, 3_600_000);
