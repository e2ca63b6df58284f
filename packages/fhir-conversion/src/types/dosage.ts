import { isJsonObject, type JsonObject } from '@tributary/fhir-json';
import { renamed } from '../changes/moves';
import type { Change, Changes } from '../rules/change';

/** R4 keeps the dose and the rate together in doseAndRate, which may occur several times; older releases have one of each. */
function inDoseAndRate(name: 'dose' | 'rate'): Change {
  return (source, site) => {
    const put = site.within('Dosage.doseAndRate').put(source, name);
    return (value, companion, draft, run) => put(value, companion, doseAndRateOf(draft), run);
  };
}

function doseAndRateOf(draft: JsonObject): JsonObject {
  const { doseAndRate } = draft;
  const known = Array.isArray(doseAndRate) ? doseAndRate[0] : undefined;
  if (isJsonObject(known)) return known;
  const made: JsonObject = {};
  draft['doseAndRate'] = [made];
  return made;
}

/** In dstu2 the order and the statement have a component of their own each for what is a Dosage in R4. */
export const dosageOfDstu2: Changes = {
  elements: {
    'MedicationOrder.dosageInstruction.additionalInstructions': renamed('additionalInstruction'),
    'MedicationOrder.dosageInstruction.dose': inDoseAndRate('dose'),
    'MedicationOrder.dosageInstruction.rate': inDoseAndRate('rate'),
    'MedicationStatement.dosage.quantity': inDoseAndRate('dose'),
    'MedicationStatement.dosage.rate': inDoseAndRate('rate'),
  },
};

export const dosageOfStu3: Changes = {
  elements: {
    'Dosage.dose': inDoseAndRate('dose'),
    'Dosage.rate': inDoseAndRate('rate'),
  },
};
