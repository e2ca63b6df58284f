import { conditionClinical, conditionVerification } from '../code-maps/statuses';
import { annotation } from '../changes/annotation';
import { withoutClinicalStatusInError } from '../changes/clinical-status';
import { concept } from '../changes/concept';
import { renamed } from '../changes/moves';
import type { Changes, Completion } from '../rules/change';

/** R4 wants a clinical status of what has abated; where there was none, "inactive" says what the abatement says and no more. */
const complete: Completion = (source, draft, run) => {
  withoutClinicalStatusInError(source, draft, 'Condition', run);
  const inError = source['verificationStatus'] === 'entered-in-error';
  if (!inError && draft['clinicalStatus'] === undefined && hasAbated(source))
    draft['clinicalStatus'] = { coding: [{ system: conditionClinical.system, code: 'inactive' }] };
};

function hasAbated(source: Record<string, unknown>): boolean {
  if (source['abatementBoolean'] === true) return true;
  return Object.keys(source).some((name) => name.startsWith('abatement') && name !== 'abatementBoolean');
}

export const conditionOfDstu2: Changes = {
  elements: {
    'Condition.clinicalStatus': concept('clinicalStatus', conditionClinical),
    'Condition.dateRecorded': renamed('recordedDate'),
    'Condition.notes': annotation('note'),
    'Condition.patient': renamed('subject'),
    'Condition.verificationStatus': concept('verificationStatus', conditionVerification),
  },
  completions: { Condition: complete },
};

export const conditionOfStu3: Changes = {
  elements: {
    'Condition.assertedDate': renamed('recordedDate'),
    'Condition.clinicalStatus': concept('clinicalStatus', conditionClinical),
    'Condition.context': renamed('encounter'),
    'Condition.verificationStatus': concept('verificationStatus', conditionVerification),
  },
  completions: { Condition: complete },
};
