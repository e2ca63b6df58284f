import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LoadJob, LoadResult } from './sequence';

interface Reply {
  result?: LoadResult;
  failure?: string;
}

/** A separate process that sends requests. It shares only the processors with the measured suite. */
export class LoadGenerator {
  readonly #child: ChildProcess = fork(join(__dirname, 'load-process.js'), { serialization: 'advanced' });

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** @throws Error with the first failure when no request of the job succeeded */
  async run(job: LoadJob): Promise<LoadResult> {
    this.#child.send(job);
    const reply = await this.#reply();
    if (!reply.result) throw new Error(`the load could not be generated: ${reply.failure ?? 'no reason given'}`);
    if (reply.result.requests === 0) throw new Error(`no request succeeded. ${reply.result.firstFailure ?? ''}`);
    return reply.result;
  }

  #reply(): Promise<Reply> {
    return new Promise((resolve) => {
      const ended = (code: number | null): void => resolve({ failure: `the load process ended (${String(code)})` });
      this.#child.once('exit', ended);
      this.#child.once('message', (reply: Reply) => {
        this.#child.off('exit', ended);
        resolve(reply);
      });
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }
}
