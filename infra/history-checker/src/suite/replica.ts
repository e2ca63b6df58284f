import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const program = join(__dirname, '..', '..', '..', '..', 'services', 'fhir-store', 'dist', 'main.js');
const readyWithinMs = 120_000;

/** One process of fhir-store. */
export class Replica {
  #child: ChildProcess | undefined;

  constructor(
    private readonly port: number,
    private readonly internalPort: number,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly logFile: string,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts the process and waits until it is ready. */
  async start(): Promise<void> {
    const log = openSync(this.logFile, 'a', 0o600);
    const child = spawn(process.execPath, [program], {
      env: {
        PATH: process.env['PATH'],
        ...this.environment,
        HOST: '127.0.0.1',
        PORT: String(this.port),
        INTERNAL_PORT: String(this.internalPort),
      },
      // The replica ends when its IPC channel closes, which also happens when this process ends.
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.#child = child;
    for (const giveUp = Date.now() + readyWithinMs; ; await sleep(50)) {
      if (child.exitCode !== null || Date.now() > giveUp)
        throw new Error(`fhir-store did not start:\n${readFileSync(this.logFile, 'utf8').slice(-2000)}`);
      if (await this.isReady()) return;
    }
  }

  /** Sends SIGKILL and resolves when the process has ended. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM');
  }

  async isReady(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.internalPort}/readyz`, { signal: AbortSignal.timeout(2000) })).ok;
    } catch {
      return false;
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}
