import { runChaos } from './chaos';
import { renderTable } from './table';

/**
 * A few faults; `npm run chaos` injects all. The number of steps is bounded, not the time: a slow machine takes longer
 * and does not fail sooner.
 */
const only = ['kill-fhir-store', 'kill-auth', 'kill-worker', 'kill-postgres', 'hang-redis', 'stop-fhir-store'];
/** Another suite may occupy ports of a range. */
const portBases = [27_000, 26_000, 25_000, 23_000, 22_000];

/** Runs on the first range of ports that is free. */
async function onFreePorts<T>(run: (portBase: number) => Promise<T>): Promise<T> {
  for (const [index, portBase] of portBases.entries()) {
    try {
      return await run(portBase);
    } catch (error) {
      const isTaken = /is in use|EADDRINUSE/.test(String(error));
      if (!isTaken || index === portBases.length - 1) throw error;
    }
  }
  throw new Error('no range of ports is given');
}

it('loses, duplicates and falsely completes nothing while parts of the suite fail', async () => {
  const logged: string[] = [];
  const rows = await onFreePorts((portBase) =>
    runChaos({ only, seed: 1, seconds: 4, portBase }, (message) => logged.push(message), new AbortController().signal),
  );
  const breaches = rows.filter(
    ({ findings, recoverySeconds }) => findings.all().length > 0 || !Number.isFinite(recoverySeconds),
  );
  if (breaches.length > 0) throw new Error(`${renderTable(rows)}\n\n${logged.join('\n')}`);
  expect(rows.map(({ fault }) => fault)).toEqual(only);
  expect(rows.every(({ requests }) => requests > 0)).toBe(true);
}, 3_600_000);
