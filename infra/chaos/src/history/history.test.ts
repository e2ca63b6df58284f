import { plainForm } from './form';
import { renderReport } from './report';
import { runHistoryCheck } from './run';

// A run in which two replicas and PostgreSQL are killed; its seed is in the report.
it('keeps every acknowledged write in the history exactly once', async () => {
  const options = { seed: Number(process.env['TEST_SEED']), seconds: undefined, form: plainForm };
  const report = await runHistoryCheck(options);
  process.stdout.write(renderReport(report, options));
  expect(report.violations).toEqual([]);
  expect(report.crashes).toHaveLength(3);
}, 3_600_000);
