import { signalProcess, withChildren } from '../suite/signals';
import type { Fault } from './fault';
import { pause } from '../pause';

const delayMs = 50;

/** SIGSTOP of a process, and SIGCONT at the end: its connections stay open without responses. */
export function stopProcess(name: string, fault = name): Fault {
  return {
    name: `stop-${fault}`,
    async inject({ suite, seconds, signal }) {
      const stopped = withChildren(suite.pid(name));
      try {
        for (const pid of stopped) signalProcess(pid, 'SIGSTOP');
        await pause(seconds * 1000, signal);
      } finally {
        for (const pid of stopped) signalProcess(pid, 'SIGCONT');
      }
    },
  };
}

/** A database that keeps its connections and sends nothing, as in a network partition. */
export function hang(database: 'postgres' | 'redis'): Fault {
  return {
    name: `hang-${database}`,
    async inject({ suite, seconds, signal }) {
      const proxy = suite.proxies[database];
      try {
        proxy.hang();
        await pause(seconds * 1000, signal);
      } finally {
        proxy.resume();
      }
    },
  };
}

/** Adds 100 ms to every round trip to PostgreSQL, 50 ms in each direction. */
export const slowPostgres: Fault = {
  name: 'slow-postgres',
  async inject({ suite, seconds, signal }) {
    const proxy = suite.proxies.postgres;
    try {
      proxy.delay(delayMs);
      await pause(seconds * 1000, signal);
    } finally {
      proxy.delay(0);
    }
  },
};
