import { problemReply } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';
import { smallPage } from './next-link';

export const nextExpired: Scenario = {
  name: 'next-expired',
  area: 'next link',
  does: 'Expires the search session of each type once, at its second later page (410); a new search succeeds.',
  pageSize: (requested) => Math.min(requested, smallPage),
  before: ({ interaction, release, type, counters }) => {
    if (interaction !== 'next-page' || counters.count(`later pages of ${release} ${type}`) !== 2) return undefined;
    return problemReply(release, 410, 'not-found', 'the search session has expired');
  },
};
