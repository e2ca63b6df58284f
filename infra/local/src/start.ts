import { join } from 'node:path';
import { portBaseOf } from './suite/addresses';
import { openHome } from './suite/home';
import { type ReadyEvent, findRunningSuite } from './suite/running';
import { startSuite } from './suite/suite';
import { welcome } from './welcome';
import { resolve } from 'node:path';

export interface StartCommand {
  repository: string;
  homeDirectory: string;
  fresh: boolean;
  json: boolean;
  records?: string;
}

/** Variables that every process of the suite is given when they are set. */
const passedOn = ['LOG_LEVEL', 'NODE_ENV', 'RATE_LIMIT_PER_HOUR'];

/** `npm start`: runs the suite until SIGINT or SIGTERM. */
export async function start(command: StartCommand): Promise<void> {
  const already = findRunningSuite(join(command.homeDirectory, 'running.json'));
  if (already) throw new Error(`the suite already runs here (process ${already.pid}): ${already.ready.base_url}. Stop it first, or set TRIBUTARY_HOME and PORT_BASE for a second one`);
  const began = performance.now();
  const say = (message: string): void => void process.stderr.write(`  ${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${message}\n`);
  const interrupted = awaitInterrupt();
  let started = false;
  void interrupted.signal.then(() => {
    if (!started) say('stopping as soon as everything has started');
  });
  const suite = await startSuite({
    repository: command.repository,
    home: openHome(command.homeDirectory, command.fresh),
    portBase: portBaseOf(process.env['PORT_BASE']),
    recordsDirectory: command.records === undefined ? undefined : resolve(process.env['INIT_CWD'] ?? process.cwd(), command.records),
    inherited: Object.fromEntries(passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    say,
  });
  started = true;
  if (!interrupted.already()) announce(suite.running.ready, command.json);
  await interrupted.signal;
  process.stderr.write('\nstopping\n');
  await suite.stop();
  process.stderr.write('stopped\n');
}

function announce(ready: ReadyEvent, json: boolean): void {
  process.stdout.write(json ? `${JSON.stringify(ready)}\n` : welcome(ready));
}

/** Of one Ctrl-C the terminal tells this process, and npm, which is told too, tells it once more. */
const sameInterruptMs = 1000;

interface Interrupt {
  /** Resolves at the first SIGINT or SIGTERM. */
  signal: Promise<void>;
  already(): boolean;
}

/** Waits for SIGINT or SIGTERM; another SIGINT, later, ends the runner at once, and with it everything it started. */
function awaitInterrupt(): Interrupt {
  let first: number | undefined;
  const signal = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      process.on(name, () => {
        const now = performance.now();
        first ??= now;
        if (name === 'SIGINT' && now - first > sameInterruptMs) process.exit(130);
        resolve();
      });
    }
  });
  return { signal, already: () => first !== undefined };
}
