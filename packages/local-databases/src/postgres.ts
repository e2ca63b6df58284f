import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { Claim } from './claim';
import { requireFreePort, startOnPort } from './port';
import { installedPostgresBinaries, providePostgresBinaries, type PostgresBinaries } from './postgres-binaries';
import { openCluster, serverEnvironment, userOfCluster, type PostgresCluster } from './postgres-cluster';
import { ServerProcess } from './server-process';
import { makeEnterableDirectory, type ServerUser } from './server-user';

const name = 'PostgreSQL';
/** PostgreSQL's fast shutdown: it rolls back what is open, writes a checkpoint and ends. */
const stopSignal = 'SIGINT';

export interface PostgresOptions {
  /** Made when it does not exist; what it holds is used again, so data survives a restart. */
  readonly dataDirectory: string;
  /** 0 or none: any free port. */
  readonly port?: number | undefined;
  /** The folder of `initdb` and `postgres`, such as `/usr/lib/postgresql/15/bin`; those of the npm package without it. */
  readonly binDirectory?: string | undefined;
  /** Server settings (postgresql.conf) beside or instead of the defaults. */
  readonly settings?: Readonly<Record<string, string | number>> | undefined;
}

export interface RunningPostgres {
  /** The superuser's connection to the database `postgres`. */
  readonly url: string;
  readonly port: number;
  readonly superuserPassword: string;
  /** The process id of the postmaster. */
  readonly pid: number;
  /** Resolves with the signal or the exit code when the server has ended, by stop() or by itself. */
  readonly exited: Promise<string>;
  /** Fast shutdown; resolves when the server is gone. Calling it again is harmless. */
  stop(): Promise<void>;
}

interface Preparation {
  readonly user: ServerUser | undefined;
  readonly binaries: PostgresBinaries;
  readonly cluster: PostgresCluster;
  readonly logFile: string;
  readonly settings: Readonly<Record<string, string | number>>;
}

/**
 * Starts PostgreSQL, version 18 from the npm package of this platform unless another is named, on 127.0.0.1 alone. The log is `postgres.log` in the
 * data directory. A server that an earlier, killed process left there is ended first.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const dataDirectory = resolve(options.dataDirectory);
  const user = await userOfCluster(dataDirectory);
  await makeEnterableDirectory(dataDirectory, user);
  const claim = await Claim.take(dataDirectory, stopSignal);
  try {
    if (options.port) await requireFreePort(options.port, name);
    const binaries = options.binDirectory
      ? installedPostgresBinaries(options.binDirectory)
      : await providePostgresBinaries(user, claim);
    const settings = options.settings ?? {};
    const cluster = await openCluster(dataDirectory, { user, binaries, sync: settings['fsync'] !== 'off' });
    const preparation = { user, binaries, cluster, settings, logFile: join(dataDirectory, 'postgres.log') };
    const { server, port } = await startOnPort(options.port ?? 0, (free) => launch(preparation, free, claim));
    const superuserPassword = cluster.superuserPassword;
    let stopped: Promise<void> | undefined;
    return {
      url: superuserUrl(superuserPassword, port),
      port,
      superuserPassword,
      pid: server.pid,
      exited: server.exited,
      stop: () => (stopped ??= server.stop().then(() => claim.release())),
    };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

async function launch(
  { user, binaries, cluster, logFile, settings }: Preparation,
  port: number,
  claim: Claim,
): Promise<ServerProcess> {
  const effective = {
    shared_preload_libraries: 'pg_stat_statements',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    ...settings,
    password_encryption: 'scram-sha-256',
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port,
  };
  const server = await ServerProcess.start({
    name,
    executable: binaries.postgres,
    args: ['-D', cluster.directory, ...Object.entries(effective).flatMap(([key, value]) => ['-c', `${key}=${value}`])],
    directory: '/',
    environment: serverEnvironment,
    logFile,
    stopSignal,
    user,
  });
  await claim.noteServer(server.pid);
  await server.untilReady(() => answers(superuserUrl(cluster.superuserPassword, port)));
  return server;
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function superuserUrl(password: string, port: number): string {
  return `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
}
