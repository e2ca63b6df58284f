import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DirectoryLock } from './directory-lock';
import { findExecutable } from './executable';
import { requireFreePort, startOnPort } from './port';
import { ServerProcess } from './server-process';
import { changeOwner, chooseServerUser, reachableTemporaryDirectory } from './server-user';

const name = 'PgBouncer';
/** It keeps nothing, and would otherwise wait for its clients. */
const stopSignal = 'SIGKILL';

export interface PgBouncerOptions {
  /** The PostgreSQL behind it. */
  readonly host?: string;
  readonly serverPort: number;
  /** 0 or absent: any free port. */
  readonly port?: number;
  /** Of the roles, with which PgBouncer both verifies its clients and connects to PostgreSQL. */
  readonly passwords: Readonly<Record<string, string>>;
  /** The connections to PostgreSQL of each role, at most. */
  readonly poolSize: number;
  readonly maxClients: number;
  /** Has its lock file and its log; by default a temporary directory, which is deleted at the end. */
  readonly directory?: string;
}

export interface RunningPgBouncer {
  readonly port: number;
  readonly pid: number;
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

/** Whether PgBouncer is installed on this machine. */
export const hasPgBouncer = findExecutable('pgbouncer') !== undefined;

/**
 * Starts PgBouncer in transaction mode on 127.0.0.1.
 * @throws Error when it is not installed, or the port is taken
 */
export async function startPgBouncer(options: PgBouncerOptions): Promise<RunningPgBouncer> {
  const executable = findExecutable('pgbouncer');
  if (executable === undefined)
    throw new Error(
      `${name} is not installed. Install it with \`apt-get install pgbouncer\` or \`brew install pgbouncer\``,
    );
  if (options.port) await requireFreePort(options.port, name);
  // PgBouncer refuses to run as root as well.
  const user = chooseServerUser();
  const files = await mkdtemp(join(reachableTemporaryDirectory(user), 'tributary-pgbouncer-'));
  await chmod(files, 0o711);
  const directory = options.directory ?? files;
  const lock = await DirectoryLock.acquire(directory, stopSignal);
  await lock.recordTemporaryDirectory(files);
  try {
    const write = async (file: string, content: string): Promise<string> => {
      const path = join(files, file);
      await writeFile(path, content, { mode: 0o600 });
      changeOwner(user, path);
      return path;
    };
    const roles = await write('roles.txt', rolesFile(options.passwords));
    const { server, port } = await startOnPort(options.port ?? 0, async (own) => {
      const started = await ServerProcess.start({
        name,
        executable,
        args: [await write('pgbouncer.ini', configuration(options, own, roles))],
        directory: '/',
        environment: { PATH: process.env['PATH'], LC_ALL: 'C' },
        logFile: join(directory, 'pgbouncer.log'),
        stopSignal,
        user,
      });
      await lock.recordServer(started.pid);
      await started.untilReady(() => accepts(own));
      return started;
    });
    let stopped: Promise<void> | undefined;
    return {
      port,
      pid: server.pid,
      exited: server.exited,
      stop: () => (stopped ??= server.stop().then(() => lock.release())),
    };
  } catch (error) {
    await lock.release();
    await rm(files, { recursive: true, force: true });
    throw error;
  }
}

function rolesFile(passwords: PgBouncerOptions['passwords']): string {
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  return Object.entries(passwords)
    .map(([role, password]) => `${quoted(role)} ${quoted(password)}\n`)
    .join('');
}

/** `server_login_retry`: by default, clients are refused for 15 s after PostgreSQL was not reached. */
function configuration(
  { host = '127.0.0.1', serverPort, poolSize, maxClients }: PgBouncerOptions,
  port: number,
  roles: string,
): string {
  return `[databases]
* = host=${host} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${roles}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = ${maxClients}
server_login_retry = 1
`;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
