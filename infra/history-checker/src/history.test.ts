import { parseOptions } from './options';
import { renderReport } from './report';
import { runHistoryCheck } from './run';

// A run in which two replicas and PostgreSQL are killed; its seed is in the report.
it('keeps every acknowledged write in the history exactly once', async () => {
  const options = parseOptions([]);
  if (options === 'help') throw new Error('options were expected');
  const report = await runHistoryCheck(options);
  process.stdout.write(renderReport(report, options));
  expect(report.violations).toEqual([]);
  expect(report.crashes).toHaveLength(options.crashes);
}, 600_000);
