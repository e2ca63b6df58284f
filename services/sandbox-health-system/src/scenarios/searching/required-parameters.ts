import { problemReply } from '../../fhir/operation-outcome';
import type { Scenario } from '../scenario';

/** A scenario in which searches of some types require one of these parameters. */
function requiring(name: string, does: string, status: number, needs: Record<string, string[]>): Scenario {
  return {
    name,
    area: 'required parameters',
    does,
    before: ({ interaction, release, type, parameters }) => {
      const required = needs[type] ?? needs['*'];
      if (interaction !== 'search' || !required || [...required, '_id'].some((parameter) => parameters.has(parameter)))
        return undefined;
      return problemReply(release, status, 'required', `a search of ${type} needs ${required.join(' or ')}`);
    },
  };
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
