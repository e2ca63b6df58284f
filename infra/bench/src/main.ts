import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { runBench } from './bench';
import { type Options, help, parseOptions } from './options';
import { ofBare, reachesGoal } from './report/figure';
import { renderChart } from './report/chart';
import { renderTable } from './report/table';
import { openSuite } from './suite/bench-suite';
import { runTrusting } from './suite/trusting-process';
import { BenchContext } from './bench-context';

const began = performance.now();

function log(message: string): void {
  process.stderr.write(`  ${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${message}\n`);
}

async function bench(options: Options): Promise<void> {
  const [load = 0] = loadavg();
  const machine = {
    processors: cpus().length,
    model: cpus()[0]?.model ?? 'unknown',
    node: process.version,
    loadBefore: Number(load.toFixed(2)),
  };
  const closing: (() => Promise<void>)[] = [];
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= closeAll(closing));
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      interruption.abort();
      void close().finally(() => process.exit(130));
    });
  }
  try {
    const opening = openSuite(options, log);
    closing.push(() =>
      opening.then(
        (suite) => suite.stop(),
        () => undefined,
      ),
    );
    const context = await BenchContext.open(await opening, options, log);
    closing.push(() => context.close());
    const { figures, failures } = await runBench(context, interruption.signal);
    if (interruption.signal.aborted) return;
    const about = `${machine.processors} processors (${machine.model}), Node ${machine.node}; everything on this machine: services, databases and ${options.connections} connections of load. Load average before: ${machine.loadBefore}.`;
    process.stdout.write(
      `\n${about}\nThe goals apply to two otherwise idle processors. Absolute figures change with the machine and its other work: look at "of bare".\n\n${renderTable(figures)}\n`,
    );
    for (const { scenario, reason } of failures)
      process.stdout.write(`\n${scenario} could not be measured: ${reason}\n`);
    for (const profile of context.profiles.values()) process.stdout.write(`\n${profile}`);
    if (options.svg) writeFileSync(options.svg, renderChart(figures, about));
    if (options.json)
      writeFileSync(
        options.json,
        `${JSON.stringify({ at: new Date().toISOString(), machine, users: context.people.length, connections: options.connections, figures: figures.map((figure) => ({ ...figure, ofBare: ofBare(figure), reached: reachesGoal(figure) })), failures }, null, 2)}\n`,
      );
    if (failures.length > 0) process.exitCode = 1;
  } finally {
    await close();
  }
}

/** Runs the functions in reverse order. A failure is logged and does not stop the others. */
async function closeAll(closing: (() => Promise<void>)[]): Promise<void> {
  log('stopping');
  for (const one of closing.splice(0).reverse())
    await one().catch((error: unknown) => log(`  ${error instanceof Error ? error.message : 'unknown failure'}`));
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2), process.env);
  if (options === 'help') process.stdout.write(help);
  else {
    const status = options.tls ? await runTrusting() : undefined;
    if (status === undefined) await bench(options);
    else process.exitCode = status;
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`the benchmark failed: ${error instanceof Error ? error.message : 'unknown reason'}\n`);
  process.exitCode = 1;
});
