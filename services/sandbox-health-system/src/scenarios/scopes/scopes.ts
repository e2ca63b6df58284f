import type { Scenario } from '../scenario';

const granted = ['Patient', 'Observation', 'Condition', 'Encounter'];

export const wildcardRefused: Scenario = {
  name: 'wildcard-refused',
  area: 'Connecting',
  does: 'Refuses patient/*.read and patient/*.rs with invalid_scope, and grants scopes for single types.',
  refusesScopes: (scopes) =>
    scopes.some((scope) => scope.startsWith('patient/*')) ? 'ask for each type by itself' : undefined,
};

export const scopesNarrowed: Scenario = {
  name: 'scopes-narrowed',
  area: 'Connecting',
  does: `Grants ${granted.join(', ')} only, whatever was requested; the other types are refused with 403.`,
  grantedScopes: (scopes) => [
    ...scopes.filter((scope) => !scope.startsWith('patient/')),
    ...granted
      .filter((type) => scopes.some((scope) => scope.startsWith(`patient/${type}.`) || scope.startsWith('patient/*.')))
      .map((type) => `patient/${type}.read`),
  ],
};

const ofPatient = ['Patient', 'Observation', 'Condition', 'Encounter'];

export const scopesOfUser: Scenario = {
  name: 'scopes-of-user',
  area: 'Connecting',
  does: `Grants ${ofPatient.join(', ')} of the patient and user/Practitioner.read, whatever was requested; the other types are refused with 403.`,
  grantedScopes: (scopes) => [
    ...scopes.filter((scope) => !/^(patient|user)\//.test(scope)),
    ...ofPatient.map((type) => `patient/${type}.read`),
    'user/Practitioner.read',
  ],
};

export const offlineRefused: Scenario = {
  name: 'offline-refused',
  area: 'Connecting',
  does: 'Does not grant offline_access.',
  grantedScopes: (scopes) => scopes.filter((scope) => scope !== 'offline_access'),
};
