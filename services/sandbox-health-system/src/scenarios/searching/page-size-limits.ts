import { problemReply } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

/** A scenario that refuses first pages of more than a number of entries, or any `_count`. */
function refusing(name: string, does: string, status: number, largest: number): Scenario {
  return {
    name,
    area: 'page size',
    does,
    before: ({ interaction, parameters, release }) =>
      interaction === 'search' && Number(parameters.get('_count') ?? 0) > largest
        ? problemReply(release, status, 'invalid', 'the request cannot be processed')
        : undefined,
  };
}

export const countRefused = refusing('count-refused', 'Answers 400 to searches with a _count over 100.', 400, 100);
export const countForbidden = refusing('count-forbidden', 'Answers 403 to searches with a _count over 100.', 403, 100);
export const countOver50Refused = refusing(
  'count-over-50-refused',
  'Answers 422 to searches with a _count over 50.',
  422,
  50,
);
export const countUnsupported = refusing('count-unsupported', 'Answers 400 to searches with _count.', 400, 0);

export const largePagesTimeOut: Scenario = {
  name: 'large-pages-time-out',
  area: 'page size',
  does: 'Answers 504 to searches of Observation with a _count over 50, as a gateway whose time limit has passed.',
  before: ({ interaction, type, parameters, release }) =>
    interaction === 'search' && type === 'Observation' && Number(parameters.get('_count') ?? 0) > 50
      ? problemReply(release, 504, 'timeout', 'the search takes too long')
      : undefined,
};

export const countCapped: Scenario = {
  name: 'count-capped',
  area: 'page size',
  does: 'Has at most 20 entries on a page, and does not say that _count was larger.',
  pageSize: (requested) => Math.min(requested, 20),
};
