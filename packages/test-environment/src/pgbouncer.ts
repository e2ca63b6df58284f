import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port';

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
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const file = join(folder, 'pgbouncer.ini');
    await writeFile(file, configuration(target, name, port, serverConnections), { mode: 0o644 });
    const child = spawn(program, [file], {
      stdio: 'ignore',
      ...(process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {}),
    });
    child.on('error', () => undefined);
    if (await listens(child, port)) {
      const url = new URL(databaseUrl);
      [url.hostname, url.port] = ['127.0.0.1', String(port)];
      return { url: url.href, stop: () => stop(child, folder) };
    }
    if (attempt === 5) throw new Error('PgBouncer does not start');
  }
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

/** Waits until the process listens on the port; false when it has ended, for example because the port was taken. */
async function listens(child: ChildProcess, port: number): Promise<boolean> {
  while (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const socket = connect(port, '127.0.0.1');
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (connected) return true;
    await pause(20);
  }
  return false;
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  await rm(folder, { recursive: true, force: true });
}
