import type { CollectionCheckpoint } from '../../checkpoints/checkpoint';
import { emptyProgress } from '../../checkpoints/progress';
import { incrementalTypes, planVerification } from './plan-verification';

const searched: CollectionCheckpoint = {
  type: 'Condition',
  search: { remaining: ['Condition?patient=p'] },
  progress: emptyProgress('Condition', 'full'),
};

it('requests everything of a type that is due, or was never searched in full', () => {
  const earlier = {
    startedAt: new Date(),
    isRereadDue: false,
    completeTypes: new Set(['Condition', 'Observation', 'Procedure']),
    fullSearches: new Map([
      ['Condition', { isDue: false, verifiedTo: undefined }],
      ['Observation', { isDue: true, verifiedTo: undefined }],
      ['Encounter', { isDue: false, verifiedTo: undefined }],
    ]),
  };
  expect([...incrementalTypes(earlier)]).toEqual(['Condition']);
  expect([...incrementalTypes({ ...earlier, isRereadDue: true })]).toEqual([]);
});

it('reads referred types again that are due, but none of the compartment of the patient', () => {
  const due = { isDue: true, verifiedTo: 'an id' };
  const planned = [searched, { ...searched, type: 'Patient' }];
  const fullSearches = new Map([
    ['Condition', due],
    ['Patient', due],
    ['Provenance', due],
    ['Practitioner', due],
    ['Binary', due],
    ['Organization', { ...due, isDue: false }],
  ]);
  const earlier = { startedAt: new Date(), completeTypes: new Set<string>(), isRereadDue: false, fullSearches };
  const verifications = planVerification(planned, 'r4', earlier, new Set(['Binary'])).slice(2);
  expect(verifications.map(({ type, search }) => [type, search.verification])).toEqual([
    [
      'Practitioner',
      { isDue: true, isReferred: true, isConditional: false, after: 'an id', from: 'an id', reads: 0, isDone: false },
    ],
    [
      'Binary',
      { isDue: true, isReferred: true, isConditional: true, after: 'an id', from: 'an id', reads: 0, isDone: false },
    ],
  ]);
});
