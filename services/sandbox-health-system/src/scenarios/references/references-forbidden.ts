import { problemReply } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

export const referencesRefusedAtFirst: Scenario = {
  name: 'references-refused-at-first',
  area: 'references',
  does: 'Answers 403 to the first read of each Practitioner and Binary, and gives it afterwards.',
  before: ({ interaction, type, id = '', counters, release }) =>
    interaction === 'read' && ['Practitioner', 'Binary'].includes(type) && counters.count(`refused ${type}/${id}`) === 1
      ? problemReply(release, 403, 'forbidden', `${type} may not be read yet`)
      : undefined,
};

export const referencesForbidden: Scenario = {
  name: 'references-forbidden',
  area: 'references',
  does: 'Answers 403 when Practitioner or Organization is read.',
  before: ({ interaction, type, release }) =>
    interaction === 'read' && ['Practitioner', 'Organization'].includes(type)
      ? problemReply(release, 403, 'forbidden', `${type} may not be read by patients`)
      : undefined,
};
