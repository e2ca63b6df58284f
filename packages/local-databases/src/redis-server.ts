import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Claim } from './claim';
import { startOnPort } from './port';
import { answersToPing } from './redis-ping';
import type { RedisProgram } from './redis-program';
import { ServerProcess } from './server-process';

/** On it Redis and Valkey write down what they hold, and end. */
const stopSignal = 'SIGTERM';

export interface RedisServer {
  readonly port: number;
  readonly pid: number;
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

interface Launch {
  readonly program: RedisProgram;
  readonly directory: string;
  readonly persistent: boolean;
  readonly password: string;
}

/** Starts the server on 127.0.0.1; with a data directory it logs every write there, without one it keeps nothing. */
export async function startRedisServer(
  program: RedisProgram,
  { dataDirectory, port, password }: { dataDirectory: string | undefined; port: number; password: string },
): Promise<RedisServer> {
  const directory = dataDirectory ?? (await mkdtemp(join(tmpdir(), 'tributary-redis-')));
  const claim = await Claim.take(directory, stopSignal);
  const giveBack = async (): Promise<void> => {
    await claim.release();
    if (dataDirectory === undefined) await rm(directory, { recursive: true, force: true });
  };
  try {
    const launch = { program, directory, persistent: dataDirectory !== undefined, password };
    const { server, port: taken } = await startOnPort(port, (free) => start(launch, free, claim));
    return { port: taken, pid: server.pid, exited: server.exited, stop: () => server.stop().then(giveBack) };
  } catch (error) {
    await giveBack();
    throw error;
  }
}

async function start(
  { program, directory, persistent, password }: Launch,
  port: number,
  claim: Claim,
): Promise<ServerProcess> {
  const server = await ServerProcess.start({
    name: program.name,
    executable: program.executable,
    args: program.args,
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
function configuration(
  directory: string,
  { port, password, persistent }: { port: number; password: string; persistent: boolean },
): string {
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
