import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningPostgres, copyAsReplica, startPostgres } from '@tributary/local-databases';
import { waitUntil } from '@tributary/test-environment';

/**
 * `commit_delay` in microseconds: it lengthens the time in which a writer waits for another's commit, as on a slow
 * disk. `wal_keep_size`: a replica that connects again finds the log of the meantime.
 */
const settings = { commit_delay: 2000, commit_siblings: 1, wal_keep_size: '1GB' };

/** A PostgreSQL with fsync that can be killed, and its streaming replica, if any. */
export class DatabaseServer {
  private constructor(
    private readonly directory: string,
    private running: RunningPostgres,
    private readonly replica?: RunningPostgres,
  ) {}

  static async start(directory: string, hasReplica: boolean): Promise<DatabaseServer> {
    const primary = join(directory, 'primary');
    const first = await startPostgres({ dataDirectory: primary, settings });
    if (!hasReplica) return new DatabaseServer(primary, first);
    await first.stop();
    const copy = join(directory, 'replica');
    await copyAsReplica(primary, copy, first.url);
    const again = await startPostgres({ dataDirectory: primary, port: first.port, settings });
    return new DatabaseServer(primary, again, await startPostgres({ dataDirectory: copy, settings }));
  }

  get url(): string {
    return this.running.url;
  }

  get port(): number {
    return this.running.port;
  }

  get superuserPassword(): string {
    return this.running.superuserPassword;
  }

  get replicaUrl(): string | undefined {
    return this.replica?.url;
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

  async stop(): Promise<void> {
    await this.replica?.stop();
    await this.running.stop();
  }
}
