import type { ConversionRules } from '../rules/element-rule';
import type { SourceRelease } from '../rules/context';
import { coding } from '../data-types/coding';
import { dosageOfDstu2, dosageOfStu3 } from '../data-types/dosage';
import { humanNameOfDstu2 } from '../data-types/human-name';
import { meta } from '../data-types/meta';
import { reference } from '../data-types/reference';
import { money, timingOfDstu2 } from '../data-types/renamed-elements';
import { signature } from '../data-types/signature';
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

/** The types whose resources are converted. RelatedPerson needs no rules, since only cardinalities differ. */
export const convertibleTypes: Readonly<Record<SourceRelease, ReadonlySet<string>>> = {
  dstu2: new Set([...common, 'MedicationOrder']),
  stu3: new Set([...common, 'MedicationRequest']),
};

/** The rules of all resources and data types. */
export const rulesOfRelease: Readonly<Record<SourceRelease, Required<ConversionRules>>> = {
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

function merged(...changes: readonly ConversionRules[]): Required<ConversionRules> {
  return {
    elements: Object.assign({}, ...changes.map(({ elements }) => elements)) as NonNullable<ConversionRules['elements']>,
    objects: Object.assign({}, ...changes.map(({ objects: completions }) => completions)) as NonNullable<
      ConversionRules['objects']
    >,
  };
}
