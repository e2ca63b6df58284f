import { z } from 'zod';
import { conceptCodes, conceptName, conceptNames, noteText, statusCode } from '../fhir/concepts';
import { type Node, at, decimalAt, nodesAt, shortened, textAt } from '../fhir/json';
import { periodText, quantityText } from '../fhir/values';
import { relativeReference } from '../record/reference';
import { type RecordCategory, optionalText } from './record-category';

const currentStatuses = new Set(['active', 'on-hold', 'intended', 'draft']);

/** MedicationRequest and MedicationStatement: https://hl7.org/fhir/R4/medicationrequest.html */
export const medications: RecordCategory = {
  noun: 'medications',
  tool: 'list_medications',
  title: 'Medications',
  description:
    'Lists prescriptions (FHIR MedicationRequest, MedicationOrder) and what the patient is stated to take (MedicationStatement) with dosage and status, current ones first, then newest first. One drug can have several prescriptions.',
  searches: {
    r4: [
      { type: 'MedicationRequest', sort: ['authoredon'], date: 'authoredon' },
      { type: 'MedicationStatement', sort: ['effective'] },
    ],
    stu3: [
      { type: 'MedicationRequest', sort: ['authoredon'], date: 'authoredon' },
      { type: 'MedicationStatement', sort: ['effective'] },
    ],
    dstu2: [
      { type: 'MedicationOrder', sort: ['datewritten'], date: 'datewritten' },
      { type: 'MedicationStatement', sort: ['effectivedate'] },
    ],
  },
  referenced: {
    type: 'Medication',
    idsOf: (resource) => {
      const reference = relativeReference(textAt(resource, 'medicationReference', 'reference') ?? '');
      return reference?.type === 'Medication' ? [reference.id] : [];
    },
  },
  current: 'only medications whose status is active, on hold, intended or a draft',
  fields: z.object({
    kind: z.enum(['prescription', 'statement']),
    status: optionalText,
    dosage: optionalText,
    date: optionalText.describe('When it was prescribed or stated.'),
    taken: optionalText.describe('The period in which it is or was taken.'),
    reason: optionalText,
    quantity: optionalText.describe('The quantity of one dispense.'),
    refills: optionalText,
    note: optionalText,
  }),
  read(resource, referenced) {
    const status = textAt(resource, 'status');
    const isPrescription = resource['resourceType'] === 'MedicationRequest';
    const { name, codes } = readMedication(resource, referenced);
    const taken = periodText(at(resource, 'effectivePeriod')) ?? textAt(resource, 'effectiveDateTime');
    const stated = isPrescription ? textAt(resource, 'authoredOn') : textAt(resource, 'dateAsserted');
    const dosages = nodesAt(resource, isPrescription ? 'dosageInstruction' : 'dosage').flatMap(
      (dose) => dosageText(dose) ?? [],
    );
    return {
      name,
      codes,
      date: stated ?? textAt(resource, 'effectivePeriod', 'start') ?? textAt(resource, 'effectiveDateTime'),
      isCurrent: status === undefined ? undefined : currentStatuses.has(status),
      sameness: isPrescription ? 'prescription' : 'statement',
      fields: {
        kind: isPrescription ? 'prescription' : 'statement',
        status: [status, conceptName(at(resource, 'statusReason'))].filter(Boolean).join(': ') || undefined,
        dosage: dosages.length === 0 ? undefined : shortened([...new Set(dosages)].join(' / '), 400),
        date: stated,
        taken,
        reason: conceptNames(nodesAt(resource, 'reasonCode')),
        quantity: quantityText(at(resource, 'dispenseRequest', 'quantity')),
        refills: decimalAt(resource, 'dispenseRequest', 'numberOfRepeatsAllowed'),
        note: noteText(resource),
      },
    };
  },
};

function readMedication(
  resource: Node,
  referenced: (reference: string) => Node | undefined,
): { name: string; codes: string[] } {
  const concept = at(resource, 'medicationCodeableConcept');
  const reference = textAt(resource, 'medicationReference', 'reference');
  const contained = nodesAt(resource, 'contained').find(({ id }) => reference === `#${String(id)}`);
  const medication = contained ?? (reference === undefined ? undefined : referenced(reference));
  const code = concept ?? at(medication, 'code');
  return {
    name: conceptName(code) ?? textAt(resource, 'medicationReference', 'display') ?? 'unnamed medication',
    codes: conceptCodes(code),
  };
}

/** A dosage as its text, or from its dose, timing and route. */
function dosageText(dosage: Node): string | undefined {
  const text = textAt(dosage, 'text') ?? textAt(dosage, 'patientInstruction');
  if (text !== undefined) return text;
  const repeat = at(dosage, 'timing', 'repeat');
  const [frequency, period] = [decimalAt(repeat, 'frequency'), decimalAt(repeat, 'period')];
  const parts = [
    quantityText(at(dosage, 'doseAndRate', 'doseQuantity')),
    conceptName(at(dosage, 'route')),
    conceptName(at(dosage, 'timing', 'code')) ??
      (frequency !== undefined && period !== undefined
        ? `${frequency} per ${period} ${textAt(repeat, 'periodUnit') ?? ''}`.trim()
        : undefined),
    at(dosage, 'asNeededBoolean') === true ? 'as needed' : statusCode(at(dosage, 'asNeededCodeableConcept')),
  ].filter(Boolean);
  return parts.length === 0 ? undefined : parts.join(', ');
}
