import { problemReply } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

const categorySystem = 'http://terminology.hl7.org/CodeSystem/observation-category';
const categories = ['laboratory', 'vital-signs'].map((code) => `${categorySystem}|${code}`);

export const scopesGrantedGranular: Scenario = {
  name: 'scopes-granted-granular',
  area: 'Connecting',
  does: 'Grants Observation of two categories, Procedure for searching, Immunization for reading, and a few types in full.',
  grantedScopes: (scopes) => [
    ...scopes.filter((scope) => !scope.startsWith('patient/')),
    ...['Patient', 'Condition', 'Encounter', 'Practitioner', 'Organization', 'Location'].map(
      (type) => `patient/${type}.rs`,
    ),
    ...categories.map((category) => `patient/Observation.rs?category=${category}`),
    'patient/Procedure.s',
    'patient/Immunization.r',
  ],
  before: ({ interaction, type, parameters, release }) => {
    const requested = parameters.get('category')?.split(',') ?? [''];
    return interaction === 'search' && type === 'Observation' && !requested.every((each) => categories.includes(each))
      ? problemReply(release, 403, 'forbidden', 'the granted scopes do not cover this search')
      : undefined;
  },
};
