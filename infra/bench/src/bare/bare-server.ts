import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BareTables } from './bare-tables';

/** Starts and stops the process with the bare routes. */
export class BareServer {
  private constructor(
    private readonly child: ChildProcess,
    readonly origin: string,
  ) {}

  static async start({ url, key }: BareTables, connections: number): Promise<BareServer> {
    const child = fork(join(__dirname, 'bare-process.js'), {
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        DATABASE_URL: url,
        BARE_KEY: key.toString('hex'),
        CONNECTIONS: String(connections),
      },
    });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new BareServer(child, `http://127.0.0.1:${port}`);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.disconnect();
    await exited;
  }
}
