import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Claim } from './claim';
import { findExecutable } from './executable';
import { findFreePort } from './port';
import { answersToPing } from './redis-ping';
import { ServerDidNotStart, ServerProcess } from './server-process';

/** Redis and Valkey end on SIGTERM after writing down what they hold. */
const stopSignal = 'SIGTERM';
const attemptsAtAFreePort = 5;

export interface RedisProgram {
  readonly kind: 'redis' | 'valkey';
  readonly executable: string;
}

export interface NativeRedis {
  readonly port: number;
  stop(): Promise<void>;
}

interface Launch {
  readonly program: RedisProgram;
  readonly directory: string;
  readonly persistent: boolean;
  readonly password: string;
}

/** The real server installed on this machine, if any. */
export function findRedisProgram(): RedisProgram | undefined {
  for (const kind of ['redis', 'valkey'] as const) {
    const executable = findExecutable(`${kind}-server`);
    if (executable) return { kind, executable };
  }
  return undefined;
}

/** Starts the server on 127.0.0.1; with a data directory it logs every write there, without one it keeps nothing. */
export async function startNativeRedis(
  program: RedisProgram,
  { dataDirectory, port, password }: { dataDirectory: string | undefined; port: number; password: string },
): Promise<NativeRedis> {
  const directory = dataDirectory ?? (await mkdtemp(join(tmpdir(), 'tributary-redis-')));
  const claim = await Claim.take(directory, stopSignal);
  const giveBack = async (): Promise<void> => {
    await claim.release();
    if (dataDirectory === undefined) await rm(directory, { recursive: true, force: true });
  };
  try {
    const launched = await launchOnPort({ program, directory, persistent: dataDirectory !== undefined, password }, port, claim);
    return { port: launched.port, stop: () => launched.server.stop().then(giveBack) };
  } catch (error) {
    await giveBack();
    throw error;
  }
}

/** Between finding a free port and using it another process may take it; then another one is tried. */
async function launchOnPort(launch: Launch, wanted: number, claim: Claim): Promise<{ server: ServerProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = wanted || (await findFreePort());
    try {
      return { server: await start(launch, port, claim), port };
    } catch (error) {
      const tryAgain = !wanted && attempt < attemptsAtAFreePort && error instanceof ServerDidNotStart && error.lostItsPort;
      if (!tryAgain) throw error;
    }
  }
}

async function start({ program, directory, persistent, password }: Launch, port: number, claim: Claim): Promise<ServerProcess> {
  const server = await ServerProcess.start({
    name: program.kind === 'redis' ? 'Redis' : 'Valkey',
    executable: program.executable,
    args: ['-'],
    directory,
    environment: { PATH: process.env['PATH'], LC_ALL: 'C' },
    logFile: join(directory, 'redis.log'),
    stopSignal,
    input: configuration(directory, { port, password, persistent }),
  });
  await claim.noteServer(server.pid);
  await server.untilReady(() => answersToPing(`redis://:${password}@127.0.0.1:${port}`));
  return server;
}

/** Read from standard input; without eviction, because a queue that loses keys loses work. */
function configuration(directory: string, { port, password, persistent }: { port: number; password: string; persistent: boolean }): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `dir ${JSON.stringify(directory)}`,
    `requirepass ${password}`,
    'maxmemory-policy noeviction',
    'save ""',
    `appendonly ${persistent ? 'yes' : 'no'}`,
    'daemonize no',
    '',
  ].join('\n');
}
