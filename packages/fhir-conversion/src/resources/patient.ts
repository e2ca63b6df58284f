import { linkType } from '../code-maps/statuses';
import { toModifierExtension, recoded, renamed } from '../element-rules/basic-rules';
import type { ConversionRules } from '../rules/element-rule';

export const patientOfDstu2: ConversionRules = {
  elements: {
    'Patient.animal': toModifierExtension,
    'Patient.careProvider': renamed('generalPractitioner'),
    'Patient.link.type': recoded(linkType),
  },
};

export const patientOfStu3: ConversionRules = { elements: { 'Patient.animal': toModifierExtension } };
