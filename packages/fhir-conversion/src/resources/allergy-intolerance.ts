import { allergyClinical, allergyCriticality, allergyVerification } from '../code-maps/statuses';
import { unknownUnless } from '../element-rules/unknown-value';
import { withoutClinicalStatusInError } from '../element-rules/clinical-status';
import { concept } from '../element-rules/concept';
import { recoded, renamed } from '../element-rules/basic-rules';
import type { ElementRule, ConversionRules, ObjectRule } from '../rules/element-rule';

/** The status of DSTU2 is either a clinical or a verification status, depending on its code. */
const status: ElementRule = (source, target) => {
  const clinical = concept('clinicalStatus', allergyClinical)(source, target);
  const verification = concept('verificationStatus', allergyVerification)(source, target);
  return (value, companion, draft, context) =>
    (typeof value === 'string' && allergyVerification.codes.has(value) ? verification : clinical)(
      value,
      companion,
      draft,
      context,
    );
};

/** R4 requires a clinical status unless the allergy was entered in error (ait-1). */
const completeDstu2: ObjectRule = ({ status: code }, draft) => {
  if (code !== 'entered-in-error') unknownUnless(draft, 'clinicalStatus');
};

const completeStu3: ObjectRule = (source, draft, context) => {
  withoutClinicalStatusInError(source, draft, 'AllergyIntolerance', context);
  if (source['verificationStatus'] !== 'entered-in-error') unknownUnless(draft, 'clinicalStatus');
};

export const allergyIntoleranceOfDstu2: ConversionRules = {
  elements: {
    'AllergyIntolerance.criticality': recoded(allergyCriticality),
    'AllergyIntolerance.lastOccurence': renamed('lastOccurrence'),
    'AllergyIntolerance.reporter': renamed('asserter'),
    'AllergyIntolerance.status': status,
    'AllergyIntolerance.substance': renamed('code'),
  },
  objects: { AllergyIntolerance: completeDstu2 },
};

export const allergyIntoleranceOfStu3: ConversionRules = {
  elements: {
    'AllergyIntolerance.assertedDate': renamed('recordedDate'),
    'AllergyIntolerance.clinicalStatus': concept('clinicalStatus', allergyClinical),
    'AllergyIntolerance.verificationStatus': concept('verificationStatus', allergyVerification),
  },
  objects: { AllergyIntolerance: completeStu3 },
};
