import type { JsonObject } from '@tributary/fhir-json';
import { unknownUnless } from '../changes/absent';
import { annotation } from '../changes/annotation';
import { canonical } from '../changes/canonical';
import { mergedInto, renamed } from '../changes/moves';
import type { Changes, Completion } from '../rules/change';

/** R4 requires a status and has a code for one that is not known. */
function completeStatus(draft: JsonObject): void {
  if (draft['status'] === undefined && draft['_status'] === undefined) draft['status'] = 'unknown';
}

/** A MedicationOrder always is an order, and need not say for whom. */
const completeOrder: Completion = (_source, draft) => {
  completeStatus(draft);
  draft['intent'] = 'order';
  unknownUnless(draft, 'subject');
};

export const medicationOrderOfDstu2: Changes = {
  elements: {
    'MedicationOrder.dateWritten': renamed('authoredOn'),
    'MedicationOrder.note': annotation('note'),
    'MedicationOrder.patient': renamed('subject'),
    'MedicationOrder.prescriber': renamed('requester'),
    'MedicationOrder.reason': renamed({ CodeableConcept: 'reasonCode', Reference: 'reasonReference' }),
    'MedicationOrder.reasonEnded': renamed('statusReason'),
    'MedicationOrder.substitution.type': renamed('allowed'),
  },
  completions: { MedicationOrder: completeOrder },
};

export const medicationRequestOfStu3: Changes = {
  elements: {
    'MedicationRequest.context': renamed('encounter'),
    'MedicationRequest.definition': canonical('instantiatesCanonical'),
    'MedicationRequest.requester': mergedInto('requester', 'agent'),
  },
  completions: { MedicationRequest: (_source, draft) => completeStatus(draft) },
};
