import { problemReply } from '../../fhir/operation-outcome';
import type { Reply, Scenario } from '../scenario';
import { withSearchParameters, withTypes } from './declared-parameters';

/** A scenario in which searches of some types require one of these parameters. */
function requiring(
  name: string,
  does: string,
  status: number,
  needs: Record<string, string[]>,
): Scenario & Required<Pick<Scenario, 'before'>> {
  const needsOf = new Map(Object.entries(needs));
  return {
    name,
    area: 'required parameters',
    does,
    before: ({ interaction, release, type, parameters }) => {
      const required = needsOf.get(type) ?? needsOf.get('*');
      if (interaction !== 'search' || !required || [...required, '_id'].some((parameter) => parameters.has(parameter)))
        return undefined;
      return problemReply(release, status, 'required', `a search of ${type} needs ${required.join(' or ')}`);
    },
  };
}

/** The codes of the issues of the OperationOutcomes are no help. */
function withoutIssueCode(reply: Reply | undefined): Reply | undefined {
  return reply && { ...reply, body: reply.body.toString().replace('"required"', '"invalid"') };
}

const byCategory = {
  Observation: ['category'],
  CarePlan: ['category'],
  Condition: ['category'],
  DocumentReference: ['category', 'type'],
  DiagnosticReport: ['category'],
};

export const categoryRequired = requiring(
  'category-required',
  'Answers 400 to searches of Observation, Condition, CarePlan, DiagnosticReport, DocumentReference without category.',
  400,
  byCategory,
);

export const categoryRequired422 = requiring(
  'category-required-422',
  'As category-required, for Observation and CarePlan, with 422.',
  422,
  { Observation: ['category'], CarePlan: ['category'] },
);

export const intentRequired = requiring(
  'intent-required',
  'Answers 400 to searches of MedicationRequest without intent.',
  400,
  { MedicationRequest: ['intent'] },
);

export const beneficiaryRequired = requiring(
  'beneficiary-required',
  'Answers 400 to searches of Coverage without beneficiary.',
  400,
  { Coverage: ['beneficiary'] },
);

export const patientRequired = requiring(
  'patient-required',
  'Answers 400 to searches that name no patient (or subject).',
  400,
  { '*': ['patient', 'subject', 'beneficiary'], Patient: ['_id', 'identifier'] },
);

export const categoryRequiredUnexplained: Scenario = {
  ...categoryRequired,
  name: 'category-required-unexplained',
  does: 'As category-required, with an OperationOutcome that does not say what is missing.',
  before: (exchange) => withoutIssueCode(categoryRequired.before(exchange)),
};

export const categoryRequiredFatal: Scenario = {
  name: 'category-required-fatal',
  area: 'required parameters',
  does: 'Answers 400 to searches of Observation and CarePlan without category or code, with a fatal issue of the code required.',
  before: ({ interaction, type, parameters, release }) => {
    const isLacking =
      interaction === 'search' &&
      ['Observation', 'CarePlan'].includes(type) &&
      !['category', 'code', '_id'].some((name) => parameters.has(name));
    if (!isLacking) return undefined;
    const reply = problemReply(release, 400, 'required', 'a required element is missing');
    return { ...reply, body: reply.body.toString().replace('"error"', '"fatal"') };
  },
};

export const categoryListRefused: Scenario = {
  ...categoryRequired,
  name: 'category-list-refused',
  does: 'As category-required, and answers 400 to several categories in one search.',
  before: (exchange) =>
    categoryRequired.before(exchange) ??
    (exchange.parameters.get('category')?.includes(',')
      ? problemReply(exchange.release, 400, 'invalid', 'one category at a time')
      : undefined),
};

export const statusRequired = requiring(
  'status-required',
  'Answers 400 to searches of MedicationRequest, Observation, Procedure without status.',
  400,
  { MedicationRequest: ['status'], Observation: ['status'], Procedure: ['status'] },
);

const byPatientId = requiring(
  'patient-id-required',
  'Searches by patientId only: declares no other parameter for the patient, and answers 400 to one.',
  400,
  { '*': ['patientId'] },
);

export const patientIdRequired: Scenario = {
  ...byPatientId,
  capabilities: (document) => withSearchParameters(document, () => [{ name: 'patientId', type: 'token' }]),
};

export const patientIdUndeclared: Scenario = {
  ...byPatientId,
  name: 'patient-id-undeclared',
  does: 'As patient-id-required, without declaring any parameter for the patient.',
  capabilities: (document) => withSearchParameters(document, () => [{ name: '_id', type: 'token' }]),
};

export const typeReadOnly: Scenario = {
  name: 'type-read-only',
  area: 'required parameters',
  does: 'Declares reads of Encounter and Goal, but no searches, and answers 403 to these.',
  capabilities: (document) =>
    withTypes(document, (resource) =>
      ['Encounter', 'Goal'].includes(resource.type)
        ? { type: resource.type, interaction: [{ code: 'read' }] }
        : resource,
    ),
  before: ({ interaction, type, release }) =>
    interaction === 'search' && ['Encounter', 'Goal'].includes(type)
      ? problemReply(release, 403, 'not-supported', 'this type can only be read')
      : undefined,
};

export const patientSearchMissing: Scenario = {
  name: 'patient-search-missing',
  area: 'required parameters',
  does: 'Declares searches of Immunization by _id only, and answers 400 to others.',
  capabilities: (document) =>
    withSearchParameters(document, (type, declared) =>
      type === 'Immunization' ? [{ name: '_id', type: 'token' }] : declared,
    ),
  before: ({ interaction, type, parameters, release }) =>
    interaction === 'search' && type === 'Immunization' && !parameters.has('_id')
      ? problemReply(release, 400, 'not-supported', 'search by _id only')
      : undefined,
};
