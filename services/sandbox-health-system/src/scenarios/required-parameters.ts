import { answer, changeSearchParameters, declareReadOnly, outcome, refuse, searches } from './hooks';
import { scenariosOf, type FhirExchange, type Hook } from './scenario';

type Condition = (exchange: FhirExchange) => boolean;

/** Searches of these types without any of these parameters, and without `_id`. */
function lacking(types: string[], ...parameters: string[]): Condition {
  return (exchange) =>
    searches(...types)(exchange) && ![...parameters, '_id'].some((name) => exchange.parameters.has(name));
}

function refuseIncomplete(condition: Condition, status = 400): Hook<'before'> {
  return refuse(condition, status, 'required', 'a search parameter is missing');
}

const lacksDocumentCategory = lacking(['DocumentReference'], 'category', 'type');
const lacksOtherCategory = lacking(['Observation', 'CarePlan', 'Condition', 'DiagnosticReport'], 'category');
const lacksCategory: Condition = (exchange) => lacksDocumentCategory(exchange) || lacksOtherCategory(exchange);

const requiresCategory = refuseIncomplete(lacksCategory);

const refusesCategoryList = refuse(
  ({ parameters }) => parameters.get('category')?.includes(',') === true,
  400,
  'invalid',
  'one category at a time',
);

const lacksPatientId = lacking(['Patient'], 'identifier');
const lacksPatient = lacking([], 'patient', 'subject', 'beneficiary');

/** Searches of Observation and CarePlan are refused without a category or code. */
export const requiresCategoryOrCode = answer(
  lacking(['Observation', 'CarePlan'], 'category', 'code'),
  outcome(400, 'fatal', 'required', 'a required element is missing'),
);

export const requiresIntent = refuseIncomplete(lacking(['MedicationRequest'], 'intent'));

/** Searches are refused without the practice, with a plain slash. */
export function requirePractice(practiceOf: (exchange: FhirExchange) => string): Hook<'before'> {
  return refuseIncomplete(
    (exchange) =>
      searches()(exchange) && !exchange.query.split('&').includes(`ah-practice=Organization/${practiceOf(exchange)}`),
  );
}

const practice = 'a-1.Practice-195900';

export const requiredParameters = scenariosOf('Required parameters', {
  'category-required': {
    description:
      'Answers 400 to searches of Observation, Condition, CarePlan, DiagnosticReport, DocumentReference without category.',
    before: requiresCategory,
  },
  'category-required-422': {
    description: 'As category-required, for Observation and CarePlan, with 422.',
    before: refuseIncomplete(lacking(['Observation', 'CarePlan'], 'category'), 422),
  },
  'category-required-unexplained': {
    description: 'As category-required, with an OperationOutcome that does not say what is missing.',
    before: refuse(lacksCategory, 400, 'invalid', 'the search cannot be processed'),
  },
  'category-required-fatal': {
    description:
      'Answers 400 to searches of Observation and CarePlan without category or code, with a fatal issue of the code required.',
    before: requiresCategoryOrCode,
  },
  'category-list-refused': {
    description: 'As category-required, and answers 400 to several categories in one search.',
    before: (exchange) => requiresCategory(exchange) ?? refusesCategoryList(exchange),
  },
  'intent-required': {
    description: 'Answers 400 to searches of MedicationRequest without intent.',
    before: requiresIntent,
  },
  'beneficiary-required': {
    description: 'Answers 400 to searches of Coverage without beneficiary.',
    before: refuseIncomplete(lacking(['Coverage'], 'beneficiary')),
  },
  'status-required': {
    description: 'Answers 400 to searches of MedicationRequest, Observation, Procedure without status.',
    before: refuseIncomplete(lacking(['MedicationRequest', 'Observation', 'Procedure'], 'status')),
  },
  'patient-required': {
    description: 'Answers 400 to searches that name no patient (or subject).',
    before: refuseIncomplete((exchange) =>
      exchange.type === 'Patient' ? lacksPatientId(exchange) : lacksPatient(exchange),
    ),
  },
  'patient-id-required': {
    description: 'Searches by patientId only: declares no other parameter for the patient, and answers 400 to one.',
    before: refuseIncomplete(lacking([], 'patientId')),
    capabilities: changeSearchParameters(() => [{ name: 'patientId', type: 'token' }]),
  },
  'patient-id-undeclared': {
    description: 'As patient-id-required, without declaring any parameter for the patient.',
    before: refuseIncomplete(lacking([], 'patientId')),
    capabilities: changeSearchParameters(() => [{ name: '_id', type: 'token' }]),
  },
  'ah-practice-required': {
    description:
      'Answers 400 to searches without ah-practice=Organization/{practice}, with a plain slash; the access token names the practice.',
    tokens: { accessTokenClaims: () => ({ ah_practice: practice }) },
    before: requirePractice(() => practice),
  },
  'type-read-only': {
    description: 'Declares reads of Encounter and Goal, but no searches, and answers 403 to these.',
    capabilities: declareReadOnly('Encounter', 'Goal'),
    before: refuse(searches('Encounter', 'Goal'), 403, 'not-supported', 'this type can only be read'),
  },
  'patient-by-id': {
    description: 'Supports read, but not search, of Patient; its capability statement says so.',
    capabilities: declareReadOnly('Patient'),
    before: refuse(searches('Patient'), 403, 'forbidden', 'Patient cannot be searched'),
  },
  'patient-search-missing': {
    description: 'Declares searches of Immunization by _id only, and answers 400 to others.',
    capabilities: changeSearchParameters((type, declared) =>
      type === 'Immunization' ? [{ name: '_id', type: 'token' }] : declared,
    ),
    before: refuse(lacking(['Immunization']), 400, 'not-supported', 'search by _id only'),
  },
});
