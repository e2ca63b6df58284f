import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Progress } from '../progress';
import { portBaseOf } from '../suite/addresses';
import { openHome } from '../suite/home';
import { awaitInterrupt } from '../suite/interrupt';
import { findRunningSuite } from '../suite/running';
import { startSuite } from '../suite/suite';
import { type Summary, journey } from './journey';
import { StepPrinter } from './printer';

/** `npm run demo`: runs the journey on the running suite, or on one that is started for it and stopped afterwards. */
export async function demo({
  repository,
  homeDirectory,
}: {
  repository: string;
  homeDirectory: string;
}): Promise<void> {
  const printer = new StepPrinter();
  const running = findRunningSuite(join(homeDirectory, 'running.json'));
  if (running?.ready.ca_file !== undefined && process.env['NODE_EXTRA_CA_CERTS'] !== running.ready.ca_file)
    return runAgainTrusting(running.ready.ca_file);
  if (running) return print(await journey(running.ready, printer));
  const interrupted = awaitInterrupt();
  const home = await openHome(homeDirectory, false);
  const progress = new Progress('starting the suite for the demo');
  const suite = await startSuite({
    repository,
    home,
    portBase: portBaseOf(process.env['PORT_BASE']),
    inherited: { LOG_LEVEL: 'info' },
    warn: (message) => progress.warn(message),
  }).catch((error: unknown) => {
    progress.fail();
    throw error;
  });
  progress.done();
  try {
    if (interrupted.already()) return;
    const summary = await Promise.race([journey(suite.running.ready, printer), interrupted.signal]);
    if (summary) print(summary);
  } finally {
    await suite.stop();
  }
}

/** Node.js reads further authorities only when a process starts. */
function runAgainTrusting(authorityFile: string): void {
  const { status } = spawnSync(process.execPath, process.argv.slice(1), {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: authorityFile },
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}

function print(summary: Summary): void {
  const types = Object.entries(summary.byType).sort(([, a], [, b]) => b - a);
  const widest = Math.max(...types.map(([type]) => type.length));
  const most = types[0]?.[1] ?? 1;
  process.stdout.write(
    [
      '',
      'What was collected',
      ...types.map(
        ([type, count]) =>
          `   ${type.padEnd(widest)} ${String(count).padStart(6)}  ${'▇'.repeat(Math.max(1, Math.round((count / most) * 40)))}`,
      ),
      '',
      'How fast',
      `   collected  ${summary.collected} resources in ${summary.collectionSeconds.toFixed(1)} s (${perSecond(summary.collected, summary.collectionSeconds)}/s)`,
      `   exported   ${summary.exported} resources, ${(summary.exportBytes / 1e6).toFixed(1)} MB, in ${summary.exportSeconds.toFixed(2)} s (${perSecond(summary.exported, summary.exportSeconds)}/s)`,
      '',
      '',
    ].join('\n'),
  );
}

function perSecond(count: number, seconds: number): string {
  return Math.round(count / Math.max(seconds, 0.001)).toLocaleString('en');
}
