import { FhirProblem } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

export const metadataUnauthorized: Scenario = {
  name: 'metadata-unauthorized',
  area: 'CapabilityStatement',
  does: 'Answers 401 to requests for its CapabilityStatement.',
  capabilities: () => {
    throw new FhirProblem(401, 'login', 'the capabilities are not public');
  },
};

export const metadataBroken: Scenario = {
  name: 'metadata-broken',
  area: 'CapabilityStatement',
  does: 'Answers 500 to requests for its CapabilityStatement, every time.',
  capabilities: () => {
    throw new FhirProblem(500, 'exception', 'the capabilities cannot be shown');
  },
};
