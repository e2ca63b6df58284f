import type { Scenario } from '../scenario';
import { smallPage } from './next-link';

const area = 'next link';

export const nextEmpty: Scenario = {
  name: 'next-empty',
  area,
  does: 'Answers 204 without a body to every page after the first one of Observation.',
  pageSize: (requested) => Math.min(requested, smallPage),
  before: ({ interaction, type }) =>
    interaction === 'next-page' && type === 'Observation' ? { status: 204, headers: {}, body: '' } : undefined,
};

export const nextEmptyOnce: Scenario = {
  name: 'next-empty-once',
  area,
  does: 'Answers 204 without a body once, to the second later page of each type; a new search succeeds.',
  pageSize: (requested) => Math.min(requested, smallPage),
  before: ({ interaction, release, type, counters }) =>
    interaction === 'next-page' && counters.count(`pages after the first of ${release} ${type}`) === 2
      ? { status: 204, headers: {}, body: '' }
      : undefined,
};
