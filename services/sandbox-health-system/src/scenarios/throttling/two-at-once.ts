import { problemReply } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

export const twoAtOnce: Scenario = {
  name: 'two-at-once',
  area: '429 / 503',
  does: 'Answers 429 when one patient’s clients have more than two requests open; each takes a tenth of a second.',
  delay: 100,
  before: ({ open, release }) =>
    open > 2 ? problemReply(release, 429, 'throttled', 'two requests at a time, please') : undefined,
};
