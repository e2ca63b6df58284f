import { problemReply } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

export const referencesForbidden: Scenario = {
  name: 'references-forbidden',
  area: 'references',
  does: 'Answers 403 when Practitioner or Organization is read.',
  before: ({ interaction, type, release }) =>
    interaction === 'read' && ['Practitioner', 'Organization'].includes(type)
      ? problemReply(release, 403, 'forbidden', `${type} may not be read by patients`)
      : undefined,
};
