import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onChosenPort } from './ports';

/** The path in Debian's package. */
const program = '/usr/sbin/pgbouncer';
/** The user id of `nobody`: PgBouncer refuses to run as root. */
const unprivileged = 65_534;

/** Whether tests through PgBouncer can run on this machine (`apt-get install pgbouncer`). */
export const hasPgBouncer = existsSync(program);

export interface TestPgBouncer {
  /** Connects to the same database with the same role through PgBouncer. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode in front of a database, with few server connections, so that clients share them.
 * @param databaseUrl contains user and password of the role that PgBouncer uses for every client
 */
export async function startPgBouncer(databaseUrl: string, serverConnections = 3): Promise<TestPgBouncer> {
  const target = new URL(databaseUrl);
  const name = target.pathname.slice(1);
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  await chmod(folder, 0o755);
  return onChosenPort(async (port) => {
    const file = join(folder, 'pgbouncer.ini');
    await writeFile(file, configuration(target, name, port, serverConnections), { mode: 0o644 });
    const child = spawn(program, [file], {
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {}),
    });
    await untilListening(child);
    const url = new URL(databaseUrl);
    [url.hostname, url.port] = ['127.0.0.1', String(port)];
    return { url: url.href, stop: () => stop(child, folder) };
  });
}

function configuration(target: URL, name: string, port: number, serverConnections: number): string {
  const server = {
    host: target.hostname,
    port: target.port,
    dbname: name,
    user: decodeURIComponent(target.username),
    password: decodeURIComponent(target.password),
  };
  return `[databases]
${name} = ${Object.entries(server)
    .map(([key, value]) => `${key}='${value}'`)
    .join(' ')}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${serverConnections}
max_client_conn = 200
`;
}

/** @throws Error when the process ends before, for example because the port is taken */
async function untilListening(child: ChildProcess): Promise<void> {
  const ended = Promise.race([once(child, 'error'), once(child, 'exit')]).then(() => {
    throw new Error('PgBouncer does not start');
  });
  const listening = new Promise<void>((resolve) => {
    let log = '';
    child.stderr?.on('data', (piece: Buffer) => {
      log += piece.toString();
      if (log.includes('listening on')) resolve();
    });
  });
  await Promise.race([listening, ended]);
  ended.catch(() => undefined);
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  await rm(folder, { recursive: true, force: true });
}
