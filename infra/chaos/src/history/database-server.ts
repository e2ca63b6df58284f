import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningPostgres, startPostgres } from '@tributary/local-databases';
import { waitUntil } from '@tributary/test-environment';

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
    const restart = { dataDirectory: this.directory, port: this.running.port, settings };
    // The start fails while backends of the killed postmaster still run.
    const started = (): Promise<RunningPostgres | undefined> => startPostgres(restart).catch(() => undefined);
    this.running = await waitUntil(started, 'PostgreSQL starts again', 100);
  }

  stop(): Promise<void> {
    return this.running.stop();
  }
}
