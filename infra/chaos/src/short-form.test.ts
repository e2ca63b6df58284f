import { runChaos } from './chaos';
import { renderTable } from './report/table';

/** A handful of faults; the whole list is `npm run chaos`. Bounded by steps: a slow machine takes longer, and fails no sooner. */
const only = ['kill-fhir-store', 'kill-auth', 'kill-worker', 'kill-postgres', 'hang-redis', 'stop-fhir-store'];
const portBase = Number(process.env['CHAOS_PORT_BASE'] ?? 27_000);

it('loses nothing, does nothing twice, and calls nothing complete that is not, while parts of the suite fail', async () => {
  const said: string[] = [];
  const rows = await runChaos(
    { only, seed: 1, seconds: 4, portBase, patienceSeconds: 300, settleSeconds: 600 },
    (message) => said.push(message),
    new AbortController().signal,
  );
  const breaches = rows.filter(
    ({ findings, recoverySeconds }) => findings.all().length > 0 || !Number.isFinite(recoverySeconds),
  );
  if (breaches.length > 0) throw new Error(`${renderTable(rows)}\n\n${said.join('\n')}`);
  expect(rows.map(({ fault }) => fault)).toEqual(only);
  expect(rows.every(({ requests }) => requests > 0)).toBe(true);
}, 3_600_000);
