import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Ready } from './ready';

const program = join(__dirname, '..', '..', '..', 'local', 'dist', 'main.js');

/** A separate suite has the certificates of the common one, which this process trusts. */
const overTls = process.env['TRIBUTARY_CERTIFICATES'] === undefined ? [] : ['--tls'];

/** A separate suite for a journey that would disturb other journeys. */
export class OwnSuite {
  #process: ChildProcess | undefined;
  stderr = '';

  constructor(
    readonly home: string,
    readonly portBase: number,
    /** Variables of all its processes. */
    readonly variables: Readonly<Record<string, string>> = {},
  ) {}

  /** Starts the suite and waits for its ready line. */
  async start(...words: string[]): Promise<Ready> {
    const child = spawn(process.execPath, [program, 'start', '--json', ...overTls, ...words], {
      env: { ...this.#environment(), LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    this.stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    let line = '';
    return new Promise((resolve, reject) => {
      child.stdout.on('data', (chunk: Buffer) => {
        line += chunk.toString();
        if (line.includes('\n')) resolve(JSON.parse(line.slice(0, line.indexOf('\n'))) as Ready);
      });
      child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${this.stderr}`)));
    });
  }

  /** The current process id of a service. @throws Error when the service does not run */
  pid(service: string): number {
    const running = JSON.parse(readFileSync(join(this.home, 'running.json'), 'utf8')) as {
      pids: Record<string, number>;
    };
    const pid = running.pids[service];
    if (!pid) throw new Error(`${service} does not run`);
    return pid;
  }

  /** Runs an operator's command. @returns what it printed. @throws Error when it fails */
  async admin(...words: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(process.execPath, [program, 'admin', ...words], {
      env: this.#environment(),
      maxBuffer: 1 << 28,
    });
    return stdout;
  }

  /** @returns the exit code */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = this.#process;
    if (!child || child.exitCode !== null) return child?.exitCode ?? null;
    const exited = once(child, 'exit');
    child.kill(signal);
    const [code] = (await exited) as [number | null];
    return code;
  }

  #environment(): NodeJS.ProcessEnv {
    return { ...process.env, ...this.variables, TRIBUTARY_HOME: this.home, PORT_BASE: String(this.portBase) };
  }
}
