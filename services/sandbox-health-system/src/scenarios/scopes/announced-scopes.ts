import type { Scenario } from '../scenario';

/** A smart-configuration that announces these scopes, and no capability that implies others. */
const announcing =
  (scopes: string[] | undefined, permissions: string[] = []) =>
  (document: Record<string, unknown>): Record<string, unknown> => {
    const { scopes_supported: _replaced, ...others } = document;
    const capabilities = (document['capabilities'] as string[]).filter((name) => !name.startsWith('permission-'));
    return {
      ...others,
      capabilities: [...capabilities, ...permissions],
      ...(scopes === undefined ? {} : { scopes_supported: scopes }),
    };
  };

const refusingOthersThan =
  (accepted: string[]) =>
  (scopes: string[]): string | undefined =>
    scopes.every((scope) => accepted.includes(scope)) ? undefined : 'a scope is not allowed for this application';

const refusesSmart1 = (scopes: string[]): string | undefined =>
  scopes.some((scope) => /^patient\/.*\.(read|\*)$/.test(scope)) ? 'ask in the syntax of SMART 2' : undefined;

export const scopesV2Silent: Scenario = {
  name: 'scopes-v2-silent',
  area: 'Connecting',
  does: 'Announces no scopes, and refuses those of SMART 1 with invalid_scope.',
  smartConfiguration: announcing(undefined),
  refusesScopes: refusesSmart1,
};

export const scopesV2Capability: Scenario = {
  name: 'scopes-v2-capability',
  area: 'Connecting',
  does: 'Announces SMART 2 by the capability permission-v2 only, and refuses the scopes of SMART 1 with invalid_scope.',
  smartConfiguration: announcing(undefined, ['permission-offline', 'permission-patient', 'permission-v2']),
  refusesScopes: refusesSmart1,
};

export const scopesV2Cruds: Scenario = {
  name: 'scopes-v2-cruds',
  area: 'Connecting',
  does: 'Announces patient/*.cruds and patient/Observation.cruds, and refuses the scopes of SMART 1 with invalid_scope.',
  smartConfiguration: announcing(
    ['openid', 'fhirUser', 'launch/patient', 'offline_access', 'patient/*.cruds', 'patient/Observation.cruds'],
    ['permission-v2'],
  ),
  refusesScopes: refusesSmart1,
};

const writable = ['openid', 'fhirUser', 'launch/patient', 'offline_access', 'patient/*.cruds'];

export const scopesWordForWord: Scenario = {
  name: 'scopes-word-for-word',
  area: 'Connecting',
  does: 'Announces patient/*.cruds, and refuses every other form of it with invalid_scope.',
  smartConfiguration: announcing(writable, ['permission-v2']),
  refusesScopes: refusingOthersThan(writable),
};

const observationCategory = 'http://terminology.hl7.org/CodeSystem/observation-category';
const granular = [
  'openid',
  'fhirUser',
  'launch/patient',
  'offline_access',
  'patient/Patient.rs',
  'patient/Condition.rs',
  ...['laboratory', 'vital-signs'].map((code) => `patient/Observation.rs?category=${observationCategory}|${code}`),
];

export const scopesGranular: Scenario = {
  name: 'scopes-granular',
  area: 'Connecting',
  does: 'Announces Observation by category only (US Core 6), and refuses scopes that it does not announce.',
  smartConfiguration: announcing(granular, ['permission-v2']),
  refusesScopes: refusingOthersThan(granular),
};

const withoutOffline = ['openid', 'fhirUser', 'launch/patient', 'patient/*.read'];

export const scopesAnnouncedNoOffline: Scenario = {
  name: 'scopes-announced-no-offline',
  area: 'Connecting',
  does: 'Announces no offline_access, and refuses scopes that it does not announce; there is no refresh token.',
  smartConfiguration: announcing(withoutOffline),
  refusesScopes: refusingOthersThan(withoutOffline),
};

export const scopesOfflineRefused: Scenario = {
  name: 'scopes-offline-refused',
  area: 'Connecting',
  does: 'Announces no scopes, and refuses offline_access with invalid_scope.',
  smartConfiguration: announcing(undefined),
  refusesScopes: (scopes) => (scopes.includes('offline_access') ? 'offline_access is not allowed' : undefined),
};

export const scopesRegisteredOnly: Scenario = {
  name: 'scopes-registered-only',
  area: 'Connecting',
  does: 'Announces no scopes, and refuses all but launch/patient, openid, patient/Patient.read and patient/Observation.read.',
  smartConfiguration: announcing(undefined),
  refusesScopes: refusingOthersThan(['launch/patient', 'openid', 'patient/Patient.read', 'patient/Observation.read']),
};
