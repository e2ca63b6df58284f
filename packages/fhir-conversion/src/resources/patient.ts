import { linkType } from '../code-maps/statuses';
import { carriedAsModifier, recoded, renamed } from '../changes/moves';
import type { Changes } from '../rules/change';

export const patientOfDstu2: Changes = {
  elements: {
    'Patient.animal': carriedAsModifier,
    'Patient.careProvider': renamed('generalPractitioner'),
    'Patient.link.type': recoded(linkType),
  },
};

export const patientOfStu3: Changes = { elements: { 'Patient.animal': carriedAsModifier } };
