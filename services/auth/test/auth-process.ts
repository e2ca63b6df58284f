import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, testRedis } from '@tributary/test-environment';
import { authUrl } from './auth-under-test';

const program = join(__dirname, '..', 'dist', 'main.js');

/** The built service in a separate process. */
export class AuthProcess {
  private constructor(
    readonly publicUrl: string,
    readonly internalUrl: string,
    private readonly child: ChildProcess,
  ) {}

  /** Starts the process, and resolves when it is ready. */
  static async start(databaseUrl: string, settings: Record<string, string> = {}): Promise<AuthProcess> {
    for (let attempt = 1; ; attempt++) {
      const [port, internalPort] = [await freePort(), await freePort()];
      const environment = {
        DATABASE_URL: databaseUrl,
        REDIS_URL: testRedis().url,
        PORT: String(port),
        INTERNAL_PORT: String(internalPort),
        HOST: '127.0.0.1',
        AUTH_URL: authUrl,
        SERVICE_KEYS: '{}',
        SANDBOX_MODE: 'true',
        ...settings,
      };
      const child = spawn(process.execPath, [program], {
        env: { PATH: process.env['PATH'], ...environment },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const started = new AuthProcess(`http://127.0.0.1:${port}`, `http://127.0.0.1:${internalPort}`, child);
      if (await started.#untilReady()) return started;
      if (attempt === 3) throw new Error('auth does not start');
    }
  }

  /** Sends SIGKILL, and resolves when the process has ended. */
  async kill(): Promise<void> {
    if (this.#isOver()) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  #isOver(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async #untilReady(): Promise<boolean> {
    while (!this.#isOver()) {
      const answer = await fetch(`${this.internalUrl}/readyz`).catch(() => undefined);
      if (answer?.ok) return true;
      await pause(50);
    }
    return false;
  }
}
