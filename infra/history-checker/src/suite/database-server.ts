import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningPostgres, startPostgres } from '@tributary/local-databases';

const restartWithinMs = 60_000;
/**
 * `commit_delay` in microseconds: it lengthens the time in which a writer waits for another's commit, as on a slow
 * disk.
 */
const settings = { commit_delay: 2000, commit_siblings: 1 };

/** A PostgreSQL with fsync that can be killed. */
export class DatabaseServer {
  private constructor(
    private readonly directory: string,
    private running: RunningPostgres,
  ) {}

  static async start(directory: string): Promise<DatabaseServer> {
    return new DatabaseServer(directory, await startPostgres({ dataDirectory: directory, settings }));
  }

  get url(): string {
    return this.running.url;
  }

  /** Kills the postmaster with SIGKILL and restarts it on the same port; it recovers from its write-ahead log. */
  async crash(): Promise<void> {
    const [pid] = readFileSync(join(this.directory, 'cluster', 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(pid), 'SIGKILL');
    await this.running.stop();
    const { port } = this.running;
    for (const giveUp = Date.now() + restartWithinMs; ; await sleep(100)) {
      try {
        // The start fails while backends of the killed postmaster still run.
        this.running = await startPostgres({ dataDirectory: this.directory, port, settings });
        return;
      } catch (error) {
        if (Date.now() > giveUp) throw error;
      }
    }
  }

  stop(): Promise<void> {
    return this.running.stop();
  }
}
