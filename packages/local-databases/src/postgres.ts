import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { DirectoryLock } from './directory-lock';
import { requireFreePort, startOnPort } from './port';
import { installedPostgresBinaries, providePostgresBinaries } from './postgres-binaries';
import { openCluster, serverEnvironment, userOfCluster, type PostgresCluster } from './postgres-cluster';
import { ServerProcess } from './server-process';
import { changeOwner, makeEnterableDirectory, type ServerUser } from './server-user';

const name = 'PostgreSQL';
/** Fast shutdown: PostgreSQL rolls back open transactions, writes a checkpoint and ends. */
const stopSignal = 'SIGINT';

export interface PostgresOptions {
  /** Created when it does not exist; an existing cluster is used again. */
  readonly dataDirectory: string;
  /** 0 or absent: any free port. */
  readonly port?: number | undefined;
  /**
   * The directory of `initdb` and `postgres`, such as `/usr/lib/postgresql/15/bin`; by default those of the npm
   * package.
   */
  readonly binDirectory?: string | undefined;
  /** Server settings (postgresql.conf), which override the defaults. */
  readonly settings?: Readonly<Record<string, string | number>> | undefined;
  /** The certificate of the server. With it, the server accepts only connections that are encrypted. */
  readonly tls?: ServerCertificate | undefined;
}

/** In PEM. */
export interface ServerCertificate {
  readonly certificate: string;
  readonly key: string;
  /** The certificate of the authority that has issued the other one. */
  readonly authority: string;
}

export interface RunningPostgres {
  /** Connects to the database `postgres` as the superuser. */
  readonly url: string;
  readonly port: number;
  readonly superuserPassword: string;
  /** The process id of the postmaster. */
  readonly pid: number;
  /** Resolves with the signal or the exit code when the server has ended. */
  readonly exited: Promise<string>;
  /** Fast shutdown; resolves when the server has ended. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on 127.0.0.1, by default version 18 from the npm package of this platform. The log is
 * `postgres.log` in the data directory. A server that a killed process has left on the data directory is stopped first.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const dataDirectory = resolve(options.dataDirectory);
  const user = await userOfCluster(dataDirectory);
  await makeEnterableDirectory(dataDirectory, user);
  const lock = await DirectoryLock.acquire(dataDirectory, stopSignal);
  try {
    if (options.port) await requireFreePort(options.port, name);
    const binaries = options.binDirectory
      ? installedPostgresBinaries(options.binDirectory)
      : await providePostgresBinaries(user, lock);
    const { tls, settings = {} } = options;
    const cluster = await openCluster(dataDirectory, { user, binaries, sync: settings['fsync'] !== 'off' });
    const launch = async (port: number): Promise<ServerProcess> => {
      const effective = {
        shared_preload_libraries: 'pg_stat_statements',
        timezone: 'UTC',
        log_timezone: 'UTC',
        lc_messages: 'C',
        ...settings,
        ...(tls ? await tlsSettings(tls, cluster, user) : {}),
        password_encryption: 'scram-sha-256',
        listen_addresses: '127.0.0.1',
        unix_socket_directories: '',
        port,
      };
      const server = await ServerProcess.start({
        name,
        executable: binaries.postgres,
        args: [
          '-D',
          cluster.directory,
          ...Object.entries(effective).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
        ],
        directory: '/',
        environment: serverEnvironment,
        logFile: join(dataDirectory, 'postgres.log'),
        stopSignal,
        user,
      });
      await lock.recordServer(server.pid);
      await server.untilReady(() => accepts(superuserUrl(cluster.superuserPassword, port), tls));
      return server;
    };
    const { server, port } = await startOnPort(options.port ?? 0, launch);
    const superuserPassword = cluster.superuserPassword;
    let stopped: Promise<void> | undefined;
    return {
      url: superuserUrl(superuserPassword, port),
      port,
      superuserPassword,
      pid: server.pid,
      exited: server.exited,
      stop: () => (stopped ??= server.stop().then(() => lock.release())),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Writes the certificate into the data directory, where the server finds it. */
async function tlsSettings(
  { certificate, key }: ServerCertificate,
  { directory }: PostgresCluster,
  user: ServerUser | undefined,
): Promise<Record<string, string>> {
  const files = {
    'server.crt': certificate,
    'server.key': key,
    'pg_hba_tls.conf': 'hostssl all all 127.0.0.1/32 scram-sha-256\n',
  };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(directory, name), content, { mode: 0o600 });
    // PostgreSQL refuses a key of another user.
    changeOwner(user, join(directory, name));
  }
  return {
    ssl: 'on',
    ssl_cert_file: 'server.crt',
    ssl_key_file: 'server.key',
    ssl_min_protocol_version: 'TLSv1.2',
    hba_file: join(directory, 'pg_hba_tls.conf'),
  };
}

async function accepts(url: string, tls: ServerCertificate | undefined): Promise<boolean> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 2000,
    // A test may use the certificate of another host.
    ...(tls ? { ssl: { ca: tls.authority, checkServerIdentity: () => undefined } } : {}),
  });
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
