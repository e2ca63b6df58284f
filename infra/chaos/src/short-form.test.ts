import { runChaos } from './chaos';
import { renderTable } from './report/table';

/**
 * A few faults; `npm run chaos` injects all. The number of steps is bounded, not the time: a slow machine takes longer
 * and does not fail sooner.
 */
const only = ['kill-fhir-store', 'kill-auth', 'kill-worker', 'kill-postgres', 'hang-redis', 'stop-fhir-store'];
const portBase = Number(process.env['CHAOS_PORT_BASE'] ?? 27_000);

it('loses, duplicates and falsely completes nothing while parts of the suite fail', async () => {
  const logged: string[] = [];
  const rows = await runChaos(
    { only, seed: 1, seconds: 4, portBase, recoveryTimeoutSeconds: 300, settleTimeoutSeconds: 600 },
    (message) => logged.push(message),
    new AbortController().signal,
  );
  const breaches = rows.filter(
    ({ findings, recoverySeconds }) => findings.all().length > 0 || !Number.isFinite(recoverySeconds),
  );
  if (breaches.length > 0) throw new Error(`${renderTable(rows)}\n\n${logged.join('\n')}`);
  expect(rows.map(({ fault }) => fault)).toEqual(only);
  expect(rows.every(({ requests }) => requests > 0)).toBe(true);
}, 3_600_000);
