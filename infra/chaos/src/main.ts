import { cpus, loadavg } from 'node:os';
import { portBaseOf } from '@tributary/local';
import { runChaos } from './chaos';
import { renderReport } from './history/report';
import { runHistoryCheck } from './history/run';
import { type Options, chaosHelp, historyHelp, parseOptions } from './options';
import { isClean, renderTable } from './table';

const recoveryLimitSeconds = 30;

const began = performance.now();

function log(message: string): void {
  process.stderr.write(`  ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${message}\n`);
}

/** @returns whether all is well */
async function chaos({ only, seed = 1, seconds = 20 }: Options): Promise<boolean> {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());
  const [load = 0] = loadavg();
  const portBase = portBaseOf(process.env['PORT_BASE'] ?? '27000');
  const rows = await runChaos({ only, seed, seconds, portBase }, log, interruption.signal);
  process.stdout.write(
    `\n${cpus().length} processors, load average before ${load.toFixed(2)}, seed ${seed}, ${seconds} s per fault\n\n${renderTable(rows)}\n`,
  );
  return !interruption.signal.aborted && rows.every((row) => isClean(row, recoveryLimitSeconds));
}

/** @returns whether all is well */
async function history({ seed = Math.floor(Math.random() * 2 ** 31), seconds, form }: Options): Promise<boolean> {
  log(`seed ${seed}`);
  const report = await runHistoryCheck({ seed, seconds, form }, log);
  process.stdout.write(renderReport(report, { seed }));
  return report.violations.length === 0;
}

async function main(): Promise<void> {
  const [first, ...rest] = process.argv.slice(2);
  const isHistory = first === 'history';
  const options = parseOptions(isHistory ? rest : process.argv.slice(2));
  if (options === 'help') process.stdout.write(isHistory ? historyHelp : chaosHelp);
  else if (!(await (isHistory ? history(options) : chaos(options)))) process.exitCode = 1;
}

main().catch((error: unknown) => {
  process.stderr.write(
    `the run failed: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown reason'}\n`,
  );
  process.exitCode = 1;
});
