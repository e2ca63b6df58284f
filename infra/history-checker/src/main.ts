import { help, parseOptions } from './options';
import { renderReport } from './report';
import { runHistoryCheck } from './run';

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(help);
    return;
  }
  process.stderr.write(`seed ${options.seed}\n`);
  const report = await runHistoryCheck(options, (message) => process.stderr.write(`${message}\n`));
  process.stdout.write(renderReport(report, options));
  if (report.violations.length > 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  process.stderr.write(
    `the history check failed: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown reason'}\n`,
  );
  process.exitCode = 1;
});
