import { annotation } from '../changes/annotation';
import { leftToCompletion, renamed } from '../changes/moves';
import { supersedeIfNegated, supersedeStatus } from '../changes/superseded-status';
import { crossVersionUrl } from '../rules/carrying';
import type { Changes, Completion } from '../rules/change';
import { addModifierExtension } from '../rules/draft';

export const medicationStatementOfDstu2: Changes = {
  elements: {
    'MedicationStatement.note': annotation('note'),
    'MedicationStatement.patient': renamed('subject'),
    'MedicationStatement.reasonForUse': renamed({ CodeableConcept: 'reasonCode', Reference: 'reasonReference' }),
    'MedicationStatement.reasonNotTaken': renamed('statusReason'),
    'MedicationStatement.supportingInformation': renamed('derivedFrom'),
    'MedicationStatement.wasNotTaken': leftToCompletion,
  },
  completions: {
    MedicationStatement: (source, draft, run) =>
      supersedeIfNegated(source, 'wasNotTaken', draft, 'not-taken', 'MedicationStatement', run),
  },
};

/** The statuses of R4 for the codes of `taken` that the status of stu3 does not imply. */
const STATUS_OF_TAKEN: ReadonlyMap<string, string> = new Map([
  ['n', 'not-taken'],
  ['unk', 'unknown'],
]);

/** "Taken" is what the status of R4 says without more; what was entered in error, or is no question of taking, keeps its status. */
const completeTaken: Completion = (source, draft, run) => {
  const { taken } = source;
  if (typeof taken !== 'string' || taken === 'y') return;
  const status = draft['status'] === 'entered-in-error' ? undefined : STATUS_OF_TAKEN.get(taken);
  if (status === undefined)
    addModifierExtension(draft, { url: crossVersionUrl(run.release, 'MedicationStatement.taken'), valueCode: taken });
  else supersedeStatus(source, draft, status, 'MedicationStatement', run);
};

export const medicationStatementOfStu3: Changes = {
  elements: {
    'MedicationStatement.reasonNotTaken': renamed('statusReason'),
    'MedicationStatement.taken': leftToCompletion,
  },
  completions: { MedicationStatement: completeTaken },
};
