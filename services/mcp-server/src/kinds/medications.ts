import { z } from 'zod';
import { conceptCodes, conceptName, conceptNames, noteText, statusCode } from '../fhir/concepts';
import { type Node, at, nodesAt, shortened, textAt } from '../fhir/json';
import { periodText, quantityText } from '../fhir/values';
import { type RecordKind, optionalText } from './record-kind';

const currentStatuses = new Set(['active', 'on-hold', 'intended', 'draft']);

function inBoth(prescription: string): { type: string; query: string }[] {
  return [
    { type: prescription, query: '' },
    { type: 'MedicationStatement', query: '' },
  ];
}

/** MedicationRequest and MedicationStatement: https://hl7.org/fhir/R4/medicationrequest.html */
export const medications: RecordKind = {
  noun: 'medications',
  tool: 'list_medications',
  title: 'Medications',
  description:
    'Lists prescriptions (FHIR MedicationRequest, MedicationOrder) and what the patient is stated to take (MedicationStatement) with dosage and status, current ones first, then newest first. One drug can have several prescriptions.',
  searches: {
    r4: inBoth('MedicationRequest'),
    stu3: inBoth('MedicationRequest'),
    dstu2: inBoth('MedicationOrder'),
  },
  referenced: {
    type: 'Medication',
    referencesOf: (resource) => {
      const reference = textAt(resource, 'medicationReference', 'reference');
      return reference?.startsWith('Medication/') ? [reference] : [];
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
    if (status === 'entered-in-error') return 'entered in error';
    const isPrescription = resource['resourceType'] === 'MedicationRequest';
    const { name, codes } = readMedication(resource, referenced);
    const taken = periodText(at(resource, 'effectivePeriod')) ?? textAt(resource, 'effectiveDateTime');
    const stated = isPrescription ? textAt(resource, 'authoredOn') : textAt(resource, 'dateAsserted');
    const dosages = nodesAt(resource, isPrescription ? 'dosageInstruction' : 'dosage').flatMap(
      (dose) => dosageText(dose) ?? [],
    );
    const refills = at(resource, 'dispenseRequest', 'numberOfRepeatsAllowed');
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
        refills: typeof refills === 'number' ? String(refills) : undefined,
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
  const [frequency, period, unit] = [at(repeat, 'frequency'), at(repeat, 'period'), textAt(repeat, 'periodUnit')];
  const parts = [
    quantityText(at(dosage, 'doseAndRate', 'doseQuantity')),
    conceptName(at(dosage, 'route')),
    conceptName(at(dosage, 'timing', 'code')) ??
      (typeof frequency === 'number' && typeof period === 'number'
        ? `${frequency} per ${period} ${unit ?? ''}`.trim()
        : undefined),
    at(dosage, 'asNeededBoolean') === true ? 'as needed' : statusCode(at(dosage, 'asNeededCodeableConcept')),
  ].filter(Boolean);
  return parts.length === 0 ? undefined : parts.join(', ');
}
