import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Addresses, type RunningSuite, openHome, raisedLimits, replicaName, startSuite } from '@tributary/local';
import { reachableTemporaryDirectory } from '@tributary/local-databases';
import { type TcpProxy, startTcpProxy } from '@tributary/test-environment';
import { writeSourceRecords } from '../load/source-records';
import { signalProcess } from './signals';
import { Volume } from './volume';
import { pause } from '../pause';

export const repository = resolve(__dirname, '../../../..');
const replicas = 2;
const proxyOffsets = { postgres: 35, redis: 36 } as const;

/** The suite under test: two replicas of each service, and proxies in front of the databases. */
export interface ChaosSuite {
  running: RunningSuite;
  addresses: Addresses;
  proxies: { postgres: TcpProxy; redis: TcpProxy };
  /** The folder of all data and logs. */
  home: string;
  /** The small volume of `home`, or the reason why there is none. */
  volume: Volume | string;
  /** The process id of a process of the suite; 0 when it does not run. */
  pid(name: string): number;
  stop(): Promise<void>;
}

/**
 * Starts the suite. When a part fails, all started parts are stopped.
 * @param withVolume whether the data is on a volume that can be filled
 */
export async function openChaosSuite(
  portBase: number,
  withVolume: boolean,
  log: (message: string) => void,
): Promise<ChaosSuite> {
  const root = mkdtempSync(join(reachableTemporaryDirectory(), 'tributary-chaos-'));
  chmodSync(root, 0o755); // The databases may run as another user.
  let volume: Volume | string = 'no fault of this run needs it';
  const remove = (): void => {
    if (volume instanceof Volume) volume.unmount();
    rmSync(root, { recursive: true, force: true });
  };
  process.once('exit', remove); // Also after an unhandled error.
  const stops: (() => unknown)[] = [remove, () => process.off('exit', remove)];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    if (withVolume) volume = Volume.mount(root);
    const small = volume;
    const home = small instanceof Volume ? small.directory : join(root, 'home');
    mkdirSync(home, { recursive: true, mode: 0o755 });
    const records = join(root, 'records');
    writeSourceRecords(records);
    const addresses = new Addresses(portBase, replicas);
    const proxyOf = async (database: keyof typeof proxyOffsets): Promise<TcpProxy> => {
      const url = `http://127.0.0.1:${addresses.port(database)}`;
      const proxy = await startTcpProxy(url, portBase + proxyOffsets[database]);
      stops.push(() => proxy.close());
      return proxy;
    };
    const proxies = { postgres: await proxyOf('postgres'), redis: await proxyOf('redis') };
    const suite = await startSuite({
      repository,
      home: await openHome(home, false),
      portBase,
      replicas,
      databaseProxies: { postgres: portBase + proxyOffsets.postgres, redis: portBase + proxyOffsets.redis },
      recordsDirectory: records,
      inherited: { NODE_ENV: 'production', ...raisedLimits, LOG_LEVEL: 'info' },
      warn: log,
    });
    stops.push(() => suite.stop());
    return {
      running: suite.running,
      addresses,
      proxies,
      home,
      volume: small,
      pid: (name) => suite.pids()[name] ?? 0,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The names of a service's processes. */
export function replicasOf(service: string): string[] {
  return Array.from({ length: replicas }, (_, index) => replicaName(service, index + 1));
}

/** Whether the service with this internal port is ready. */
export async function isReady(internalPort: number): Promise<boolean> {
  const url = `http://127.0.0.1:${internalPort}/readyz`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
  return answer?.ok === true;
}

/** Kills a process if it runs. */
export function kill(suite: ChaosSuite, name: string): boolean {
  return signalProcess(suite.pid(name), 'SIGKILL');
}

/** Waits until the process with this id is replaced. */
export async function untilReplaced(suite: ChaosSuite, name: string, pid: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (suite.pid(name) === pid || !signalProcess(suite.pid(name), 0))) await pause(50, signal);
}
