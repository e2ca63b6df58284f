import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { signalProcess } from './signals';

const listening = z.object({ port: z.int() });
const program = join(__dirname, '../../dist/suite/tcp-proxy-process.js');

/**
 * A TCP proxy in a separate process. It can delay the data, and it can stop forwarding while its connections stay open.
 */
export class TcpProxy {
  private constructor(
    private readonly child: ChildProcess,
    /** The port of 127.0.0.1 that it listens on. */
    readonly port: number,
  ) {}

  /**
   * @param port the port of 127.0.0.1 to listen on; 0: any free one
   * @param target the port of 127.0.0.1 to forward to
   * @throws Error when the port is taken
   */
  static async start(port: number, target: number): Promise<TcpProxy> {
    const child = fork(program, [String(port), String(target)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [],
      detached: true,
    });
    const [first] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
    const announced = listening.safeParse(first);
    if (!announced.success)
      throw new Error(`the proxy of port ${target} ended with ${String(first)}: is port ${port} taken?`);
    return new TcpProxy(child, announced.data.port);
  }

  /** Delays all further data in both directions. */
  delay(milliseconds: number): void {
    this.child.send(milliseconds);
  }

  /** Stops forwarding. Connections stay open, and the operating system accepts new ones. */
  hang(): void {
    signalProcess(this.child.pid ?? 0, 'SIGSTOP');
  }

  resume(): void {
    signalProcess(this.child.pid ?? 0, 'SIGCONT');
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }
}
