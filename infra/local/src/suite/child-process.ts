import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { get } from './get';
import { LogFile } from './log-file';
import type { ProcessDefinition } from './processes';
import { RestartPause } from './restart-pause';

const readyWithinMs = 60_000;
const stopWithinMs = 30_000;

/**
 * The flags of Node, as in the Dockerfile. V8 counts the memory of buffers when it decides on a garbage collection:
 * with the small steps that its heap grows by, a service that streams spends up to a third of its time in garbage
 * collections. With the small maximum of its young generation, objects of requests in progress are copied to the old
 * one. Both grow under load only: V8 gives the memory back when the process is idle, which a minimum would prevent.
 * Source maps would take 20 MB of each process: Node parses those of all modules at the start.
 */
export const nodeFlags = ['--heap-growing-percent=100', '--max-semi-space-size=64'];

/**
 * A process of the suite: started, restarted when it ends unexpectedly, stopped by SIGTERM. It has its own process
 * group, so that a Ctrl-C in the terminal reaches only the runner, which stops the processes in order. It ends by
 * itself when its IPC channel to the runner closes.
 */
export class SuiteProcess {
  readonly logFile: string;
  #child: ChildProcess | undefined;
  #stopping = false;
  #wasReady = false;
  #endedEarly: string | undefined;
  readonly #restartPause = new RestartPause();

  constructor(
    readonly definition: ProcessDefinition,
    logs: string,
    private readonly warn: (message: string) => void,
    /** Called whenever the process has a new pid. */
    private readonly started: () => void,
  ) {
    this.logFile = join(logs, `${definition.name}.log`);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    const began = performance.now();
    const log = new LogFile(this.logFile);
    const child = spawn(process.execPath, [...nodeFlags, this.definition.script], {
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        TZ: process.env['TZ'],
        ...this.definition.environment,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    for (const output of [child.stdout, child.stderr]) output?.on('data', (text: Buffer) => log.append(text));
    child.once('close', () => log.close());
    child.once('exit', (code, signal) => {
      if (this.#stopping) return;
      const how = signal ?? `code ${code}`;
      if (this.#wasReady) void this.#restart(how, performance.now() - began);
      else this.#endedEarly = how;
    });
    this.#child = child;
    this.started();
  }

  /** @throws Error with the last lines of its log when it ends before it is ready, or is not ready in time */
  async untilReady(): Promise<void> {
    const { name, readyUrl, authority } = this.definition;
    const deadline = Date.now() + readyWithinMs;
    while (Date.now() < deadline && !this.#stopping && this.#endedEarly === undefined) {
      try {
        if ((await get(readyUrl, authority)).status === 200) {
          this.#wasReady = true;
          return;
        }
      } catch {
        // The process does not listen yet.
      }
      await pause(100);
    }
    if (this.#stopping) return;
    const problem =
      this.#endedEarly === undefined
        ? `${name} was not ready within ${readyWithinMs / 1000} s`
        : `${name} could not start (${this.#endedEarly})`;
    throw new Error(`${problem}. The end of ${this.logFile}:\n${lastLines(this.logFile, 15)}`);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
    await exited;
    clearTimeout(timer);
  }

  async #restart(how: string, livedMs: number): Promise<void> {
    const pauseMs = this.#restartPause.after(livedMs);
    this.warn(
      `${this.definition.name} ended (${how}); starting it again in ${pauseMs / 1000} s. Its log: ${this.logFile}`,
    );
    await pause(pauseMs, undefined, { ref: false });
    if (!this.#stopping) this.start();
  }
}

function lastLines(file: string, count: number): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
  } catch {
    return '(it has no log)';
  }
}
