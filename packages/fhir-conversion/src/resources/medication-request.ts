import type { JsonObject } from '@tributary/fhir-json';
import { unknownUnless } from '../element-rules/unknown-value';
import { annotation } from '../element-rules/annotation';
import { canonical } from '../element-rules/canonical';
import { flattenedInto, renamed } from '../element-rules/basic-rules';
import type { ConversionRules, ObjectRule } from '../rules/element-rule';

/** R4 requires a status and has the code `unknown`. */
function completeStatus(draft: JsonObject): void {
  if (draft['status'] === undefined && draft['_status'] === undefined) draft['status'] = 'unknown';
}

/** The intent of a MedicationOrder is `order`. Its patient is optional, the subject of R4 is not. */
const completeOrder: ObjectRule = (_source, draft) => {
  completeStatus(draft);
  draft['intent'] = 'order';
  unknownUnless(draft, 'subject');
};

export const medicationOrderOfDstu2: ConversionRules = {
  elements: {
    'MedicationOrder.dateWritten': renamed('authoredOn'),
    'MedicationOrder.note': annotation('note'),
    'MedicationOrder.patient': renamed('subject'),
    'MedicationOrder.prescriber': renamed('requester'),
    'MedicationOrder.reason': renamed({ CodeableConcept: 'reasonCode', Reference: 'reasonReference' }),
    'MedicationOrder.reasonEnded': renamed('statusReason'),
    'MedicationOrder.substitution.type': renamed('allowed'),
  },
  objects: { MedicationOrder: completeOrder },
};

export const medicationRequestOfStu3: ConversionRules = {
  elements: {
    'MedicationRequest.context': renamed('encounter'),
    'MedicationRequest.definition': canonical('instantiatesCanonical'),
    'MedicationRequest.requester': flattenedInto('requester', 'agent'),
  },
  objects: { MedicationRequest: (_source, draft) => completeStatus(draft) },
};
