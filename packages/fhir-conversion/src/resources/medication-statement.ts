import { annotation } from '../element-rules/annotation';
import { leftToObjectRule, renamed } from '../element-rules/basic-rules';
import { replaceStatusIfNegated, replaceStatus } from '../element-rules/superseded-status';
import { crossVersionUrl } from '../rules/extension-fallback';
import type { ConversionRules, ObjectRule } from '../rules/element-rule';
import { addModifierExtension } from '../rules/target-property';

export const medicationStatementOfDstu2: ConversionRules = {
  elements: {
    'MedicationStatement.note': annotation('note'),
    'MedicationStatement.patient': renamed('subject'),
    'MedicationStatement.reasonForUse': renamed({ CodeableConcept: 'reasonCode', Reference: 'reasonReference' }),
    'MedicationStatement.reasonNotTaken': renamed('statusReason'),
    'MedicationStatement.supportingInformation': renamed('derivedFrom'),
    'MedicationStatement.wasNotTaken': leftToObjectRule,
  },
  objects: {
    MedicationStatement: (source, draft, context) =>
      replaceStatusIfNegated(source, 'wasNotTaken', draft, 'not-taken', 'MedicationStatement', context),
  },
};

/** R4 statuses by the codes of `taken` that the status of STU3 does not express. */
const STATUS_OF_TAKEN: ReadonlyMap<string, string> = new Map([
  ['n', 'not-taken'],
  ['unk', 'unknown'],
]);

/**
 * The R4 status implies `taken: y`. With entered-in-error or another code, the status is kept and `taken` is written to
 * an extension.
 */
const completeTaken: ObjectRule = (source, draft, context) => {
  const { taken } = source;
  if (typeof taken !== 'string' || taken === 'y') return;
  const status = draft['status'] === 'entered-in-error' ? undefined : STATUS_OF_TAKEN.get(taken);
  if (status === undefined)
    addModifierExtension(draft, {
      url: crossVersionUrl(context.release, 'MedicationStatement.taken'),
      valueCode: taken,
    });
  else replaceStatus(source, draft, status, 'MedicationStatement', context);
};

export const medicationStatementOfStu3: ConversionRules = {
  elements: {
    'MedicationStatement.reasonNotTaken': renamed('statusReason'),
    'MedicationStatement.taken': leftToObjectRule,
  },
  objects: { MedicationStatement: completeTaken },
};
