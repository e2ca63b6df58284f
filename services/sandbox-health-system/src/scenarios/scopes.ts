import { refuse, searches } from './hooks';
import { scenariosOf, type Hook } from './scenario';

const someTypes = ['Patient', 'Observation', 'Condition', 'Encounter'];
const launch = ['openid', 'fhirUser', 'launch/patient'];
const cruds = [...launch, 'offline_access', 'patient/*.cruds'];
const withoutOffline = [...launch, 'patient/*.read'];

const categorySystem = 'http://terminology.hl7.org/CodeSystem/observation-category';
const categories = ['laboratory', 'vital-signs'].map((code) => `${categorySystem}|${code}`);
const observationScopes = categories.map((category) => `patient/Observation.rs?category=${category}`);
const granular = [...launch, 'offline_access', 'patient/Patient.rs', 'patient/Condition.rs', ...observationScopes];

/** Announces these scopes, and no capability that implies others. */
function announcing(scopes?: string[], permissions: string[] = []): Hook<'smartConfiguration'> {
  return ({ scopes_supported: _replaced, ...document }) => {
    const capabilities = (document['capabilities'] as string[]).filter((name) => !name.startsWith('permission-'));
    return {
      ...document,
      capabilities: [...capabilities, ...permissions],
      ...(scopes && { scopes_supported: scopes }),
    };
  };
}

function refusingOthersThan(accepted: string[]): Hook<'refusesScopes'> {
  return (scopes) =>
    scopes.every((scope) => accepted.includes(scope)) ? undefined : 'a scope is not allowed for this application';
}

function refusingAny(pattern: RegExp, reason: string): Hook<'refusesScopes'> {
  return (scopes) => (scopes.some((scope) => pattern.test(scope)) ? reason : undefined);
}

const refusingSmart1 = refusingAny(/^patient\/.*\.(read|\*)$/, 'ask in the syntax of SMART 2');

export const scopes = scenariosOf('Scopes', {
  'wildcard-refused': {
    description: 'Refuses patient/*.read and patient/*.rs with invalid_scope, and grants scopes for single types.',
    refusesScopes: refusingAny(/^patient\/\*/, 'ask for each type by itself'),
  },
  'scopes-narrowed': {
    description: `Grants ${someTypes.join(', ')} only, whatever was requested; the other types are refused with 403.`,
    grantedScopes: (requested) => [
      ...requested.filter((scope) => !scope.startsWith('patient/')),
      ...someTypes
        .filter((type) =>
          requested.some((scope) => scope.startsWith(`patient/${type}.`) || scope.startsWith('patient/*.')),
        )
        .map((type) => `patient/${type}.read`),
    ],
  },
  'scopes-of-user': {
    description: `Grants ${someTypes.join(', ')} of the patient and user/Practitioner.read, whatever was requested; the other types are refused with 403.`,
    grantedScopes: (requested) => [
      ...requested.filter((scope) => !/^(patient|user)\//.test(scope)),
      ...someTypes.map((type) => `patient/${type}.read`),
      'user/Practitioner.read',
    ],
  },
  'offline-not-granted': {
    description: 'Does not grant offline_access.',
    grantedScopes: (requested) => requested.filter((scope) => scope !== 'offline_access'),
  },
  'scopes-granted-granular': {
    description:
      'Grants Observation of two categories, Procedure for searching, Immunization for reading, and a few types in full.',
    grantedScopes: (requested) => [
      ...requested.filter((scope) => !scope.startsWith('patient/')),
      ...['Patient', 'Condition', 'Encounter', 'Practitioner', 'Organization', 'Location'].map(
        (type) => `patient/${type}.rs`,
      ),
      ...observationScopes,
      'patient/Procedure.s',
      'patient/Immunization.r',
    ],
    before: refuse(
      (exchange) =>
        searches('Observation')(exchange) &&
        !(exchange.parameters.get('category') ?? '').split(',').every((each) => categories.includes(each)),
      403,
      'forbidden',
      'the granted scopes do not cover this search',
    ),
  },
  'scopes-v2-silent': {
    description: 'Announces no scopes, and refuses those of SMART 1 with invalid_scope.',
    smartConfiguration: announcing(),
    refusesScopes: refusingSmart1,
  },
  'scopes-v2-capability': {
    description:
      'Announces SMART 2 by the capability permission-v2 only, and refuses the scopes of SMART 1 with invalid_scope.',
    smartConfiguration: announcing(undefined, ['permission-offline', 'permission-patient', 'permission-v2']),
    refusesScopes: refusingSmart1,
  },
  'scopes-v2-cruds': {
    description:
      'Announces patient/*.cruds and patient/Observation.cruds, and refuses the scopes of SMART 1 with invalid_scope.',
    smartConfiguration: announcing([...cruds, 'patient/Observation.cruds'], ['permission-v2']),
    refusesScopes: refusingSmart1,
  },
  'scopes-exact-match': {
    description: 'Announces patient/*.cruds, and refuses every other form of it with invalid_scope.',
    smartConfiguration: announcing(cruds, ['permission-v2']),
    refusesScopes: refusingOthersThan(cruds),
  },
  'scopes-granular': {
    description: 'Announces Observation by category only (US Core 6), and refuses scopes that it does not announce.',
    smartConfiguration: announcing(granular, ['permission-v2']),
    refusesScopes: refusingOthersThan(granular),
  },
  'scopes-announced-no-offline': {
    description:
      'Announces no offline_access, and refuses scopes that it does not announce; there is no refresh token.',
    smartConfiguration: announcing(withoutOffline),
    refusesScopes: refusingOthersThan(withoutOffline),
  },
  'scopes-offline-refused': {
    description: 'Announces no scopes, and refuses offline_access with invalid_scope.',
    smartConfiguration: announcing(),
    refusesScopes: refusingAny(/^offline_access$/, 'offline_access is not allowed'),
  },
  'scopes-registered-only': {
    description:
      'Announces no scopes, and refuses all but launch/patient, openid, patient/Patient.read and patient/Observation.read.',
    smartConfiguration: announcing(),
    refusesScopes: refusingOthersThan(['launch/patient', 'openid', 'patient/Patient.read', 'patient/Observation.read']),
  },
});
