import { problemReply } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

const practice = 'a-1.Practice-195900';

export const ahPractice: Scenario = {
  name: 'ah-practice',
  area: 'required parameters',
  does: `Answers 400 to searches without ah-practice=Organization/{practice}, with a plain slash; the access token names the practice.`,
  tokens: { accessTokenClaims: () => ({ ah_practice: practice }) },
  before: ({ interaction, release, query }) =>
    interaction === 'search' && !query.split(/[?&]/).includes(`ah-practice=Organization/${practice}`)
      ? problemReply(release, 400, 'required', 'a search needs ah-practice')
      : undefined,
};
