import type { Changes } from '../rules/change';
import type { SourceRelease } from '../rules/run';
import { coding } from '../types/coding';
import { dosageOfDstu2, dosageOfStu3 } from '../types/dosage';
import { humanNameOfDstu2 } from '../types/human-name';
import { meta } from '../types/meta';
import { money } from '../types/money';
import { reference } from '../types/reference';
import { signature } from '../types/signature';
import { timingOfDstu2 } from '../types/timing';
import { allergyIntoleranceOfDstu2, allergyIntoleranceOfStu3 } from './allergy-intolerance';
import { conditionOfDstu2, conditionOfStu3 } from './condition';
import { diagnosticReportOfDstu2, diagnosticReportOfStu3 } from './diagnostic-report';
import { documentReferenceOfDstu2, documentReferenceOfStu3 } from './document-reference';
import { encounterOfDstu2, encounterOfStu3 } from './encounter';
import { immunizationOfDstu2, immunizationOfStu3 } from './immunization';
import { medicationOfDstu2, medicationOfStu3 } from './medication';
import { medicationOrderOfDstu2, medicationRequestOfStu3 } from './medication-request';
import { medicationStatementOfDstu2, medicationStatementOfStu3 } from './medication-statement';
import { observationOfDstu2, observationOfStu3 } from './observation';
import { patientOfDstu2, patientOfStu3 } from './patient';
import { procedureOfDstu2, procedureOfStu3 } from './procedure';

const common = [
  'Patient',
  'Observation',
  'Condition',
  'AllergyIntolerance',
  'Procedure',
  'MedicationStatement',
  'Immunization',
  'DiagnosticReport',
  'RelatedPerson',
  'Encounter',
  'DocumentReference',
];

/** The types whose resources are converted. RelatedPerson differs only in what may occur several times. */
export const convertibleTypes: Readonly<Record<SourceRelease, ReadonlySet<string>>> = {
  dstu2: new Set([...common, 'MedicationOrder']),
  stu3: new Set([...common, 'MedicationRequest']),
};

/** All that is different in R4, of resources and data types. */
export const changesOf: Readonly<Record<SourceRelease, Required<Changes>>> = {
  dstu2: merged(
    coding,
    dosageOfDstu2,
    humanNameOfDstu2,
    meta,
    money,
    reference,
    signature,
    timingOfDstu2,
    allergyIntoleranceOfDstu2,
    conditionOfDstu2,
    diagnosticReportOfDstu2,
    documentReferenceOfDstu2,
    encounterOfDstu2,
    immunizationOfDstu2,
    medicationOfDstu2,
    medicationOrderOfDstu2,
    medicationStatementOfDstu2,
    observationOfDstu2,
    patientOfDstu2,
    procedureOfDstu2,
  ),
  stu3: merged(
    coding,
    dosageOfStu3,
    meta,
    money,
    reference,
    signature,
    allergyIntoleranceOfStu3,
    conditionOfStu3,
    diagnosticReportOfStu3,
    documentReferenceOfStu3,
    encounterOfStu3,
    immunizationOfStu3,
    medicationOfStu3,
    medicationRequestOfStu3,
    medicationStatementOfStu3,
    observationOfStu3,
    patientOfStu3,
    procedureOfStu3,
  ),
};

function merged(...changes: readonly Changes[]): Required<Changes> {
  return {
    elements: Object.assign({}, ...changes.map(({ elements }) => elements)) as NonNullable<Changes['elements']>,
    completions: Object.assign({}, ...changes.map(({ completions }) => completions)) as NonNullable<
      Changes['completions']
    >,
  };
}
