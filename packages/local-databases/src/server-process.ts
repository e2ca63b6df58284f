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
  /** Written to standard input, which unlike arguments does not reveal a password in the process list. */
  readonly input?: string;
}

/**
 * A server process in its own session, so that Ctrl-C in the terminal does not stop it before the processes that use
 * it.
 */
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
    void exited.then((exit) => {
      this.exit = exit;
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

  /**
   * Waits until the server responds.
   * @throws ServerDidNotStart with the end of its log when it exits or does not respond in time
   */
  async untilReady(responds: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (this.exit === undefined && Date.now() < deadline) {
      if (await responds()) return;
      await delay(15);
    }
    const reason =
      this.exit === undefined ? `did not respond within ${timeoutMs / 1000} seconds` : `ended with ${this.exit}`;
    await this.stop();
    throw new ServerDidNotStart(
      `${this.command.name} did not start: it ${reason}. The end of its log:\n${this.logTail()}`,
    );
  }

  /** Stops the server and waits until it has ended; after 30 seconds it is sent SIGQUIT. */
  async stop(): Promise<void> {
    if (this.exit !== undefined) return;
    sendSignal(this.pid, this.command.stopSignal);
    const timeout = new AbortController();
    const immediateShutdown = delay(30_000, undefined, { signal: timeout.signal }).then(
      () => sendSignal(this.pid, 'SIGQUIT'),
      () => undefined,
    );
    await this.exited;
    timeout.abort();
    await immediateShutdown;
  }

  private logTail(): string {
    return readFileSync(this.command.logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  }
}

/** A server did not become ready; the message contains the end of its log. */
export class ServerDidNotStart extends Error {
  override readonly name = 'ServerDidNotStart';

  /** Whether another process has taken the port in the meantime. */
  get isPortTaken(): boolean {
    return /address already in use/i.test(this.message);
  }
}
