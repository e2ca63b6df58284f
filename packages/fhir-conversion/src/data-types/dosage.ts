import { isJsonObject, type JsonObject } from '@tributary/fhir-json';
import { renamed } from '../element-rules/basic-rules';
import type { ElementRule, ConversionRules } from '../rules/element-rule';

/**
 * R4 has dose and rate in the repeating component doseAndRate; older releases have one of each in the dosage itself.
 */
function inDoseAndRate(name: 'dose' | 'rate'): ElementRule {
  return (source, target) => {
    const write = target.otherType('Dosage.doseAndRate').write(source, name);
    return (value, companion, draft, context) => write(value, companion, doseAndRateOf(draft), context);
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

/** In DSTU2, MedicationOrder and MedicationStatement have components for what is the data type Dosage in R4. */
export const dosageOfDstu2: ConversionRules = {
  elements: {
    'MedicationOrder.dosageInstruction.additionalInstructions': renamed('additionalInstruction'),
    'MedicationOrder.dosageInstruction.dose': inDoseAndRate('dose'),
    'MedicationOrder.dosageInstruction.rate': inDoseAndRate('rate'),
    'MedicationStatement.dosage.quantity': inDoseAndRate('dose'),
    'MedicationStatement.dosage.rate': inDoseAndRate('rate'),
  },
};

export const dosageOfStu3: ConversionRules = {
  elements: {
    'Dosage.dose': inDoseAndRate('dose'),
    'Dosage.rate': inDoseAndRate('rate'),
  },
};
