import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'undici';
import { z } from 'zod';
import { type CpuProfile, cpuProfile } from './cpu-profile';

/** The port of the inspector in a suite that the bench starts, as an offset from PORT_BASE. */
export const inspectorPortOffset = 40;

const targets = z.array(z.object({ webSocketDebuggerUrl: z.string() })).min(1);
const answer = z.object({
  id: z.number().optional(),
  result: z.unknown(),
  error: z.object({ message: z.string() }).optional(),
});
const evaluated = z.object({ result: z.object({ value: z.unknown() }) });

/** Records CPU profiles of a running process through its inspector, as `--cpu-prof` does for a whole process. */
export class InspectedProcess {
  #next = 1;
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener('message', ({ data }) => this.#receive(String(data)));
    socket.addEventListener('close', () =>
      this.#waiting.forEach(({ reject }) => reject(new Error('the connection to the inspector was closed'))),
    );
  }

  /** Makes the process open its inspector by SIGUSR1; it listens on 127.0.0.1 only. */
  static async open(pid: number, port: number): Promise<InspectedProcess> {
    process.kill(pid, 'SIGUSR1');
    const socket = new WebSocket(await debuggerUrl(port));
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error(`the inspector on port ${port} cannot be reached`)));
    });
    const inspected = new InspectedProcess(socket);
    const found = evaluated.parse(await inspected.#call('Runtime.evaluate', { expression: 'process.pid' })).result
      .value;
    if (found !== pid) throw new Error(`port ${port} is the inspector of another process (${String(found)})`);
    await inspected.#call('Profiler.enable');
    await inspected.#call('Profiler.setSamplingInterval', { interval: 500 });
    return inspected;
  }

  async start(): Promise<void> {
    await this.#call('Profiler.start');
  }

  async stop(): Promise<CpuProfile> {
    return z.object({ profile: cpuProfile }).parse(await this.#call('Profiler.stop')).profile;
  }

  close(): void {
    this.socket.close();
  }

  #call(method: string, params: object = {}): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  #receive(text: string): void {
    const { id, result, error } = answer.parse(JSON.parse(text));
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (id === undefined || !waiting) return;
    this.#waiting.delete(id);
    if (error) waiting.reject(new Error(error.message));
    else waiting.resolve(result);
  }
}

async function debuggerUrl(port: number): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    try {
      const found = targets.parse(await (await fetch(`http://127.0.0.1:${port}/json/list`)).json());
      return found[0]?.webSocketDebuggerUrl ?? '';
    } catch (error) {
      if (attempt === 50) throw new Error(`the service did not open its inspector on port ${port}`, { cause: error });
      await pause(100);
    }
  }
}
