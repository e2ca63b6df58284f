import { conditionClinical, conditionVerification } from '../code-maps/statuses';
import { annotation } from '../element-rules/annotation';
import { withoutClinicalStatusInError } from '../element-rules/clinical-status';
import { concept } from '../element-rules/concept';
import { renamed } from '../element-rules/basic-rules';
import type { ConversionRules, ObjectRule } from '../rules/element-rule';

/**
 * R4 requires a clinical status for a condition with an abatement (con-4). Without one, "inactive" expresses the
 * abatement.
 */
const complete: ObjectRule = (source, draft, context) => {
  withoutClinicalStatusInError(source, draft, 'Condition', context);
  const inError = source['verificationStatus'] === 'entered-in-error';
  if (!inError && draft['clinicalStatus'] === undefined && hasAbated(source))
    draft['clinicalStatus'] = { coding: [{ system: conditionClinical.system, code: 'inactive' }] };
};

function hasAbated(source: Record<string, unknown>): boolean {
  if (source['abatementBoolean'] === true) return true;
  return Object.keys(source).some((name) => name.startsWith('abatement') && name !== 'abatementBoolean');
}

export const conditionOfDstu2: ConversionRules = {
  elements: {
    'Condition.clinicalStatus': concept('clinicalStatus', conditionClinical),
    'Condition.dateRecorded': renamed('recordedDate'),
    'Condition.notes': annotation('note'),
    'Condition.patient': renamed('subject'),
    'Condition.verificationStatus': concept('verificationStatus', conditionVerification),
  },
  objects: { Condition: complete },
};

export const conditionOfStu3: ConversionRules = {
  elements: {
    'Condition.assertedDate': renamed('recordedDate'),
    'Condition.clinicalStatus': concept('clinicalStatus', conditionClinical),
    'Condition.context': renamed('encounter'),
    'Condition.verificationStatus': concept('verificationStatus', conditionVerification),
  },
  objects: { Condition: complete },
};
