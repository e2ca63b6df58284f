import { allergyClinical, allergyCriticality, allergyVerification } from '../code-maps/statuses';
import { unknownUnless } from '../changes/absent';
import { withoutClinicalStatusInError } from '../changes/clinical-status';
import { concept } from '../changes/concept';
import { recoded, renamed } from '../changes/moves';
import type { Change, Changes, Completion } from '../rules/change';

/** The status of dstu2 is a clinical status or a verification status, whichever its code belongs to. */
const status: Change = (source, site) => {
  const clinical = concept('clinicalStatus', allergyClinical)(source, site);
  const verification = concept('verificationStatus', allergyVerification)(source, site);
  return (value, companion, draft, run) =>
    (typeof value === 'string' && value in allergyVerification.codes ? verification : clinical)(
      value,
      companion,
      draft,
      run,
    );
};

/** R4 wants a clinical status of every allergy that was not entered in error. */
const completeDstu2: Completion = ({ status: code }, draft) => {
  if (code !== 'entered-in-error') unknownUnless(draft, 'clinicalStatus');
};

const completeStu3: Completion = (source, draft, run) => {
  withoutClinicalStatusInError(source, draft, 'AllergyIntolerance', run);
  if (source['verificationStatus'] !== 'entered-in-error') unknownUnless(draft, 'clinicalStatus');
};

export const allergyIntoleranceOfDstu2: Changes = {
  elements: {
    'AllergyIntolerance.criticality': recoded(allergyCriticality),
    'AllergyIntolerance.lastOccurence': renamed('lastOccurrence'),
    'AllergyIntolerance.reporter': renamed('asserter'),
    'AllergyIntolerance.status': status,
    'AllergyIntolerance.substance': renamed('code'),
  },
  completions: { AllergyIntolerance: completeDstu2 },
};

export const allergyIntoleranceOfStu3: Changes = {
  elements: {
    'AllergyIntolerance.assertedDate': renamed('recordedDate'),
    'AllergyIntolerance.clinicalStatus': concept('clinicalStatus', allergyClinical),
    'AllergyIntolerance.verificationStatus': concept('verificationStatus', allergyVerification),
  },
  completions: { AllergyIntolerance: completeStu3 },
};
