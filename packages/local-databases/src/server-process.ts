import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { sendSignal } from './process-identity';
import { spawnIdentity, type ServerUser } from './server-user';

export interface ServerCommand {
  readonly name: string;
  readonly executable: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly stopSignal: NodeJS.Signals;
  readonly user?: ServerUser | undefined;
  /** Written to standard input, where a password is not seen in the list of processes. */
  readonly input?: string;
}

/** A running server. It has a session of its own, so that Ctrl-C in the terminal does not end it before those who use it. */
export class ServerProcess {
  private exit: string | undefined;

  private constructor(
    readonly pid: number,
    private readonly command: ServerCommand,
    /** Resolves with the signal or the exit code. */
    readonly exited: Promise<string>,
  ) {
    const endWithThisProcess = (): void => sendSignal(pid, command.stopSignal);
    process.on('exit', endWithThisProcess);
    void exited.then((how) => {
      this.exit = how;
      process.off('exit', endWithThisProcess);
    });
  }

  static start(command: ServerCommand): Promise<ServerProcess> {
    const log = openSync(command.logFile, 'w', 0o600);
    const child = spawn(command.executable, command.args, {
      cwd: command.directory,
      env: command.environment,
      detached: true,
      stdio: [command.input === undefined ? 'ignore' : 'pipe', log, log],
      ...spawnIdentity(command.user),
    });
    closeSync(log);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(command.input);
    return new Promise((resolve, reject) => {
      child.once('error', (error) => reject(new Error(`${command.name} cannot be started: ${error.message}`)));
      child.once('spawn', () => {
        const exited = new Promise<string>((end) =>
          child.once('exit', (code, signal) => end(signal ?? `code ${code}`)),
        );
        resolve(new ServerProcess(child.pid ?? 0, command, exited));
      });
    });
  }

  /** Waits until the server answers; fails with the end of its log when it exits or stays silent. */
  async untilReady(answers: () => Promise<boolean>, patienceMs = 60_000): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (this.exit === undefined && Date.now() < deadline) {
      if (await answers()) return;
      await delay(15);
    }
    const how =
      this.exit === undefined ? `did not answer within ${patienceMs / 1000} seconds` : `ended with ${this.exit}`;
    await this.stop();
    throw new ServerDidNotStart(
      `${this.command.name} did not start: it ${how}. The end of its log:\n${this.logTail()}`,
    );
  }

  /** Ends the server and waits for it: first as it likes it, after half a minute at once. */
  async stop(): Promise<void> {
    if (this.exit !== undefined) return;
    sendSignal(this.pid, this.command.stopSignal);
    const patience = new AbortController();
    const lateAndHarsh = delay(30_000, undefined, { signal: patience.signal }).then(
      () => sendSignal(this.pid, 'SIGQUIT'),
      () => undefined,
    );
    await this.exited;
    patience.abort();
    await lateAndHarsh;
  }

  private logTail(): string {
    return readFileSync(this.command.logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  }
}

/** A server ended before it answered; the message holds the end of its log. */
export class ServerDidNotStart extends Error {
  override readonly name = 'ServerDidNotStart';

  /** Whether another process took the port between our look and the server's start. */
  get lostItsPort(): boolean {
    return /address already in use/i.test(this.message);
  }
}
