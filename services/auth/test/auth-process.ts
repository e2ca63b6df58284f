import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { testRedis, waitUntil } from '@tributary/test-environment';
import { authUrl } from './auth-under-test';

const program = join(__dirname, '..', 'dist', 'main.js');

/** The built service in a separate process. */
export class AuthProcess {
  private constructor(
    readonly publicUrl: string,
    private readonly child: ChildProcess,
  ) {}

  /** Starts the process, and resolves when it is ready. */
  static async start(databaseUrl: string, settings: Record<string, string> = {}): Promise<AuthProcess> {
    const environment = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: testRedis().url,
      PORT: '0',
      INTERNAL_PORT: '0',
      HOST: '127.0.0.1',
      AUTH_URL: authUrl,
      SERVICE_KEYS: '{}',
      SANDBOX_MODE: 'true',
      ...settings,
    };
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [publicPort, internalPort] = await portsOf(child);
    const started = new AuthProcess(`http://127.0.0.1:${publicPort}`, child);
    await waitUntil(async () => (await fetch(`http://127.0.0.1:${internalPort}/readyz`).catch(() => undefined))?.ok);
    return started;
  }

  /** Sends SIGKILL, and resolves when the process has ended. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }
}

/** The ports of both APIs, from the log. @throws Error when the process ends before it listens */
async function portsOf({ stdout }: ChildProcessByStdio<null, Readable, null>): Promise<[number, number]> {
  for await (const line of createInterface({ input: stdout })) {
    const entry = JSON.parse(line) as { msg: string; port: number; internalPort: number };
    if (entry.msg !== 'serving') continue;
    stdout.resume();
    return [entry.port, entry.internalPort];
  }
  throw new Error('auth does not start');
}
