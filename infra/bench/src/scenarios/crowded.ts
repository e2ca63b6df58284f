import { z } from 'zod';
import { LoadGenerator } from '../load/load-generator';
import { fhirHeaders, get } from '../people/person';
import type { Figure } from '../report/figure';
import { goals } from '../report/goals';
import { callJson } from '../suite/http';
import { MemoryWatch } from '../suite/resident-memory';
import type { BenchContext } from '../bench-context';
import { costlyRequests, longList } from './costly-requests';
import { failuresOf } from './rates';

const created = z.object({ id: z.string() });
/** The requests of the other user that are in progress at a time. */
const costlyAtOnce = 16;
/** How long the reads beside each kind of request are measured. */
const seconds = 2;

/**
 * Reads of one user, and `/readyz`, while another user sends the costliest requests, 16 at once, one kind after the
 * other.
 */
export async function crowded(context: BenchContext): Promise<Figure[]> {
  const [user, other] = await context.newUsers(2);
  if (!user || !other) throw new Error('there are no users');
  const create = (of: typeof user, type: string, body: string): Promise<{ id: string }> =>
    callJson(created, `${context.origin}/r4/${type}`, {
      method: 'POST',
      headers: { ...fhirHeaders(of), 'content-type': 'application/fhir+json' },
      body,
    });
  const patient = await create(user, 'Patient', '{"resourceType":"Patient"}');
  const list = await create(other, 'List', longList(98_000));
  const costly = new LoadGenerator();
  const memory = new MemoryWatch(context.pidOf('fhir-store'));
  const worst = { read: { p99: 0, kind: '' }, ready: { p99: 0, kind: '' } };
  const failures: string[] = [];
  try {
    for (const [kind, sequence] of costlyRequests(other, list.id)) {
      const load = costly.run({
        origin: context.origin,
        connections: costlyAtOnce,
        warmUpSeconds: 0,
        // The measurement lies within it: two loads with a second of warm-up each.
        seconds: 2 * seconds + 3,
        sequences: [sequence],
      });
      const reads = await context.measure(`crowded by ${kind}`, [[get(user, `/r4/Patient/${patient.id}`)]], {
        connections: 1,
        seconds,
      });
      const ready = await context.measure(
        `readiness, crowded by ${kind}`,
        [[{ method: 'GET', path: '/readyz', headers: {}, expect: 200 }]],
        { connections: 1, seconds, origin: context.suite.addresses.url('fhir-store internal') },
      );
      const others = await load;
      context.log(
        `${kind}: reads p99 ${reads.latencies.p99.toFixed(1)} ms, readiness p99 ${ready.latencies.p99.toFixed(1)} ms; ${others.requests} costly requests${failuresOf(others)}`,
      );
      if (reads.failures + ready.failures > 0) failures.push(kind);
      if (reads.latencies.p99 > worst.read.p99) worst.read = { p99: reads.latencies.p99, kind };
      if (ready.latencies.p99 > worst.ready.p99) worst.ready = { p99: ready.latencies.p99, kind };
    }
  } finally {
    await costly.stop();
  }
  if (failures.length > 0) throw new Error(`reads failed while another user sent: ${failures.join(', ')}`);
  const most = Math.round(memory.stop());
  return [
    {
      scenario: 'crowded',
      work: 'read beside costly requests, p99',
      unit: 'ms',
      value: worst.read.p99,
      goal: goals.crowdedRead,
      note: `worst beside: ${worst.read.kind}; resident memory of fhir-store at most ${most} MB`,
    },
    {
      scenario: 'crowded',
      work: '/readyz beside costly requests, p99',
      unit: 'ms',
      value: worst.ready.p99,
      goal: goals.crowdedReadiness,
      note: `worst beside: ${worst.ready.kind}`,
    },
  ];
}
