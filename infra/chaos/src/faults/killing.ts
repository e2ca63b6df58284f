import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { kill, replicasOf, untilReplaced } from '../suite/chaos-suite';
import { signalProcess, withChildren } from '../suite/signals';
import type { Random } from '../random';
import { type Fault, during } from './fault';

const workerKills = 30;
const usualSeconds = 20;
/** A worker is killed so many seconds after it was started, at most. */
const longestLifeSeconds = 15;

/** kill -9 of one replica, and later of all of them at once. */
export function killService(service: string): Fault {
  return {
    name: `kill-${service}`,
    async inject({ suite, seconds, random, signal }) {
      kill(suite, random.pick(replicasOf(service)));
      await during(seconds, signal);
      for (const name of replicasOf(service)) kill(suite, name);
    },
  };
}

/** kill -9 of a process that there is one of, twice. */
export function killSingle(name: string, fault = name): Fault {
  return {
    name: `kill-${fault}`,
    async inject({ suite, seconds, signal }) {
      const pid = suite.pid(name);
      kill(suite, name);
      await Promise.all([during(seconds, signal), untilReplaced(suite, name, pid, signal)]);
      kill(suite, name);
    },
  };
}

/** kill -9 of the workers at random moments, while they collect. */
export const killWorker: Fault = {
  name: 'kill-worker',
  collections: 6,
  async inject({ suite, seconds, random, signal, note }) {
    // Fewer of them when the faults are short: a process that ends again soon after its start is started again later and later.
    const times = Math.max(2, Math.min(workerKills, Math.round((workerKills * seconds) / usualSeconds)));
    const lifeSeconds = Math.min(longestLifeSeconds, (longestLifeSeconds * seconds) / usualSeconds);
    let done = 0;
    const killAgainAndAgain = async (name: string, moments: Random): Promise<void> => {
      while (done < times && !signal.aborted) {
        const pid = suite.pid(name);
        await during(moments.next() * lifeSeconds, signal);
        if (done >= times || !kill(suite, name)) continue;
        done++;
        await untilReplaced(suite, name, pid, signal);
      }
    };
    await Promise.all(replicasOf('ingestion-worker').map((name) => killAgainAndAgain(name, random.fork())));
    note(`${done} kills`);
  },
};

/** kill -9 of Redis, which comes back with nothing of what it held; twice. */
export const loseRedis: Fault = {
  name: 'lose-redis',
  async inject({ suite, seconds, signal }) {
    for (const last of [false, true]) {
      const pid = suite.pid('redis');
      kill(suite, 'redis');
      while (!signal.aborted && signalProcess(pid, 0)) await during(0.01, signal);
      rmSync(join(suite.home, 'redis', 'appendonlydir'), { recursive: true, force: true });
      if (!last) await Promise.all([during(seconds, signal), untilReplaced(suite, 'redis', pid, signal)]);
    }
  },
};

/** kill -9 of one process of PostgreSQL, at which it ends all connections and recovers; twice. */
export const killBackend: Fault = {
  name: 'kill-postgres-backend',
  async inject({ suite, seconds, random, signal, note }) {
    for (const last of [false, true]) {
      const [, ...children] = withChildren(suite.pid('postgres'));
      if (children.length === 0) return note('not possible here: the processes of PostgreSQL were not found');
      signalProcess(random.pick(children), 'SIGKILL');
      if (!last) await during(seconds, signal);
    }
  },
};

/** Each replica in turn is told to stop and replaced by a new one, as in a rolling update. */
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
    ] as const) {
      for (const [index, name] of replicasOf(service).entries()) {
        const pid = suite.pid(name);
        signalProcess(pid, 'SIGTERM');
        await untilReplaced(suite, name, pid, signal);
        await untilReady(suite.addresses.replicaPort(`${service} internal`, index + 1), signal);
      }
    }
  },
};

async function untilReady(internalPort: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetch(`http://127.0.0.1:${internalPort}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => undefined,
    );
    if (answer?.ok) return;
    await during(0.1, signal);
  }
}
