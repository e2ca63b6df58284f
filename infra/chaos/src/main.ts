import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { runChaos } from './chaos';
import { type Options, help, parseOptions } from './options';
import { isClean, renderTable } from './report/table';

const recoveryLimitSeconds = 30;
const recoveryTimeoutSeconds = 120;
const settleTimeoutSeconds = 600;

const began = performance.now();

function log(message: string): void {
  process.stderr.write(`  ${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${message}\n`);
}

async function chaos({ only, seed, seconds, portBase, json }: Options): Promise<void> {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());
  const [load = 0] = loadavg();
  const rows = await runChaos(
    { only, seed, seconds, portBase, recoveryTimeoutSeconds, settleTimeoutSeconds },
    log,
    interruption.signal,
  );
  process.stdout.write(
    `\n${cpus().length} processors, load average before ${load.toFixed(2)}, seed ${seed}, ${seconds} s per fault\n\n${renderTable(rows)}\n`,
  );
  if (json) {
    const described = rows.map(({ findings, recoverySeconds, ...row }) => ({
      ...row,
      recoverySeconds: Number.isFinite(recoverySeconds) ? recoverySeconds : null,
      lost: findings.count('lost'),
      duplicated: findings.count('duplicated'),
      falselyComplete: findings.count('falsely complete'),
      findings: findings.all(),
    }));
    writeFileSync(
      json,
      `${JSON.stringify({ at: new Date().toISOString(), seed, seconds, rows: described }, null, 2)}\n`,
    );
  }
  if (interruption.signal.aborted || !rows.every((row) => isClean(row, recoveryLimitSeconds))) process.exitCode = 1;
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2), process.env);
  if (options === 'help') process.stdout.write(help);
  else await chaos(options);
}

main().catch((error: unknown) => {
  process.stderr.write(`the run failed: ${error instanceof Error ? error.message : 'unknown reason'}\n`);
  process.exitCode = 1;
});
