import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '@tributary/test-environment';
import { isReady, repository } from '../suite/chaos-suite';

const program = join(repository, 'services', 'fhir-store', 'dist', 'main.js');

/** One process of fhir-store. */
export class Replica {
  readonly url: string;
  #child: ChildProcess | undefined;

  constructor(
    private readonly environment: Readonly<Record<'PORT' | 'INTERNAL_PORT', number>>,
    private readonly logFile: string,
  ) {
    this.url = `http://127.0.0.1:${environment.PORT}`;
  }

  /** Starts the process and waits until it is ready. */
  async start(): Promise<void> {
    const log = openSync(this.logFile, 'a', 0o600);
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env['PATH'], HOST: '127.0.0.1', ...(this.environment as object) },
      // The replica ends when its IPC channel closes, which also happens when this process ends.
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.#child = child;
    await waitUntil(
      () => {
        if (child.exitCode === null) return this.isReady();
        throw new Error(`fhir-store did not start:\n${readFileSync(this.logFile, 'utf8').slice(-2000)}`);
      },
      'fhir-store is ready',
      50,
    );
  }

  /** Sends a signal and resolves when the process has ended. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  isReady(): Promise<boolean> {
    return isReady(this.environment.INTERNAL_PORT);
  }
}
