import { problemReply } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

export const patientById: Scenario = {
  name: 'patient-by-id',
  area: 'required parameters',
  does: 'Supports read, but not search, of Patient; its capability statement says so.',
  before: ({ interaction, type, release }) =>
    interaction === 'search' && type === 'Patient'
      ? problemReply(release, 403, 'forbidden', 'Patient cannot be searched')
      : undefined,
  capabilities: (document) => ({
    ...document,
    rest: document.rest.map((rest) => ({
      ...rest,
      resource: rest.resource.map((resource) =>
        resource.type === 'Patient' ? { type: 'Patient', interaction: [{ code: 'read' }] } : resource,
      ),
    })),
  }),
};
