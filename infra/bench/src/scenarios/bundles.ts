import type { Sequence } from '../load/sequence';
import { fhirHeaders } from '../people/person';
import type { Figure } from '../report/figure';
import { goals } from '../report/goals';
import type { BenchContext } from '../bench-context';
import { contents } from './requests';
import { failuresOf, latencies } from './rates';

const entries = 100;
/** The number of different Bundles. */
const variety = 50;

/** Batch Bundles that create 100 Observations each. */
export async function bundles(context: BenchContext): Promise<Figure[]> {
  const all = contents(context.people);
  const sequences = Array.from({ length: variety }, (_, n): Sequence => {
    const some = Array.from({ length: entries }, (_, at) => all[(n * entries + at) % all.length]);
    const entry = some.map((one) => ({
      resource: JSON.parse(one?.body ?? '{}') as object,
      request: { method: 'POST', url: 'Observation' },
    }));
    const person = some[0]?.person;
    if (!person) throw new Error('there are no valid Observations');
    const headers = { ...fhirHeaders(person), 'content-type': 'application/fhir+json' };
    const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry });
    return [{ method: 'POST', path: '/r4', headers, body, expect: 200 }];
  });
  const { result: measured, empty } = await context.besideEmpty(() => context.measure('bundles', sequences));
  const resources = measured.rate * entries;
  return [
    {
      scenario: 'bundles',
      work: 'batch Bundles of 100, resources',
      unit: '/s',
      value: resources,
      processorMs: measured.millisecondsEach / entries,
      ofEmpty: resources / empty,
      goal: goals.bundles,
      note: `of a Bundle: ${latencies(measured)}, ${measured.processors}${failuresOf(measured)}`,
    },
  ];
}
