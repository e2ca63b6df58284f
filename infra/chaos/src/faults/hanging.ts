import { signalProcess, withChildren } from '../suite/signals';
import { type Fault, during } from './fault';

const delayMs = 50;

/** SIGSTOP of a process, and SIGCONT at the end: its connections stay open, and nothing is answered. */
export function stopProcess(name: string, fault = name): Fault {
  return {
    name: `stop-${fault}`,
    async inject({ suite, seconds, signal }) {
      const stopped = withChildren(suite.pid(name));
      try {
        for (const pid of stopped) signalProcess(pid, 'SIGSTOP');
        await during(seconds, signal);
      } finally {
        for (const pid of stopped) signalProcess(pid, 'SIGCONT');
      }
    },
  };
}

/** A database that is connected and gives no answer, as behind a cut-off network. */
export function hang(database: 'postgres' | 'redis'): Fault {
  return {
    name: `hang-${database}`,
    async inject({ suite, seconds, signal }) {
      const proxy = suite.proxies[database];
      try {
        proxy.hang();
        await during(seconds, signal);
      } finally {
        proxy.resume();
      }
    },
  };
}

/** Every answer of PostgreSQL takes 100 ms longer: 50 ms there and 50 ms back. */
export const slowPostgres: Fault = {
  name: 'slow-postgres',
  async inject({ suite, seconds, signal }) {
    const proxy = suite.proxies.postgres;
    try {
      proxy.delay(delayMs);
      await during(seconds, signal);
    } finally {
      proxy.delay(0);
    }
  },
};
