import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isReady, kill, replicasOf, untilReplaced } from '../suite/chaos-suite';
import { signalProcess, withChildren } from '../suite/signals';
import type { Random } from '@tributary/test-environment';
import type { Fault } from './fault';
import { pause } from '../pause';

const workerKills = 30;
const usualSeconds = 20;
/** The maximum life of a worker in seconds before it is killed. */
const longestLifeSeconds = 15;

/** SIGKILL of one replica, and later of all replicas at once. */
export function killService(service: string): Fault {
  return {
    name: `kill-${service}`,
    async inject({ suite, seconds, random, signal }) {
      kill(suite, random.pick(replicasOf(service)));
      await pause(seconds * 1000, signal);
      for (const name of replicasOf(service)) kill(suite, name);
    },
  };
}

/** SIGKILL of a process without replicas, twice. */
export function killSingle(name: string, fault = name): Fault {
  return {
    name: `kill-${fault}`,
    async inject({ suite, seconds, signal }) {
      const pid = suite.pid(name);
      kill(suite, name);
      await Promise.all([pause(seconds * 1000, signal), untilReplaced(suite, name, pid, signal)]);
      kill(suite, name);
    },
  };
}

/** SIGKILL of the workers at random times during collections. */
export const killWorker: Fault = {
  name: 'kill-worker',
  collections: 6,
  async inject({ suite, seconds, random, signal, note }) {
    // Fewer in short faults: the delay of a restart grows for a process that ends soon after its start.
    const times = Math.max(2, Math.min(workerKills, Math.round((workerKills * seconds) / usualSeconds)));
    const lifeSeconds = Math.min(longestLifeSeconds, (longestLifeSeconds * seconds) / usualSeconds);
    let done = 0;
    const killAgainAndAgain = async (name: string, moments: Random): Promise<void> => {
      while (done < times && !signal.aborted) {
        const pid = suite.pid(name);
        await pause(moments.next() * lifeSeconds * 1000, signal);
        if (done >= times || !kill(suite, name)) continue;
        done++;
        await untilReplaced(suite, name, pid, signal);
      }
    };
    await Promise.all(replicasOf('ingestion-worker').map((name) => killAgainAndAgain(name, random.fork())));
    note(`${done} kills`);
  },
};

/** SIGKILL of Redis with the loss of its data, twice. */
export const loseRedis: Fault = {
  name: 'lose-redis',
  async inject({ suite, seconds, signal }) {
    for (const last of [false, true]) {
      const pid = suite.pid('redis');
      kill(suite, 'redis');
      while (!signal.aborted && signalProcess(pid, 0)) await pause(10, signal);
      rmSync(join(suite.home, 'redis', 'appendonlydir'), { recursive: true, force: true });
      if (!last) await Promise.all([pause(seconds * 1000, signal), untilReplaced(suite, 'redis', pid, signal)]);
    }
  },
};

/** SIGKILL of one backend of PostgreSQL, which then closes all connections and recovers; twice. */
export const killBackend: Fault = {
  name: 'kill-postgres-backend',
  async inject({ suite, seconds, random, signal, note }) {
    for (const last of [false, true]) {
      const [, ...children] = withChildren(suite.pid('postgres'));
      if (children.length === 0) return note('not possible here: the processes of PostgreSQL were not found');
      signalProcess(random.pick(children), 'SIGKILL');
      if (!last) await pause(seconds * 1000, signal);
    }
  },
};

/** SIGTERM and replacement of each replica in turn, as in a rolling update. */
export const rollingReplacement: Fault = {
  name: 'rolling',
  async inject({ suite, signal }) {
    for (const service of [
      'auth',
      'user-management',
      'fhir-store',
      'search',
      'analytics-export',
      'ingestion-worker',
      'audit-log',
      'documentation',
      'mcp-server',
      'console',
    ] as const) {
      for (const [index, name] of replicasOf(service).entries()) {
        const pid = suite.pid(name);
        signalProcess(pid, 'SIGTERM');
        await untilReplaced(suite, name, pid, signal);
        const internalPort = suite.addresses.replicaPort(`${service} internal`, index + 1);
        while (!signal.aborted && !(await isReady(internalPort))) await pause(100, signal);
      }
    }
  },
};
