import { signalProcess, withChildren } from '../suite/signals';
import type { ChaosSuite } from '../suite/chaos-suite';
import type { Fault } from './fault';
import { pause } from '../pause';

const delayMs = 50;

/** SIGSTOP of a process, and SIGCONT at the end: its connections stay open without responses. */
export function stopProcess(name: string, fault = name): Fault {
  return lasting(`stop-${fault}`, (suite) => {
    const stopped = withChildren(suite.pid(name));
    for (const pid of stopped) signalProcess(pid, 'SIGSTOP');
    return () => {
      for (const pid of stopped) signalProcess(pid, 'SIGCONT');
    };
  });
}

/** A database that keeps its connections and sends nothing, as in a network partition. */
export function hang(database: 'postgres' | 'redis'): Fault {
  return lasting(`hang-${database}`, ({ proxies }) => {
    proxies[database].hang();
    return () => proxies[database].resume();
  });
}

/** Adds 100 ms to every round trip to PostgreSQL, 50 ms in each direction. */
export const slowPostgres: Fault = lasting('slow-postgres', ({ proxies }) => {
  proxies.postgres.delay(delayMs);
  return () => proxies.postgres.delay(0);
});

/** @param begin returns what ends the fault */
function lasting(name: string, begin: (suite: ChaosSuite) => () => void): Fault {
  return {
    name,
    async inject({ suite, seconds, signal }) {
      const end = begin(suite);
      await pause(seconds * 1000, signal);
      end();
    },
  };
}
