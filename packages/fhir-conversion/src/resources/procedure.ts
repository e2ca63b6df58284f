import { procedureStatus } from '../code-maps/statuses';
import { unknownUnless } from '../changes/absent';
import { canonical } from '../changes/canonical';
import { leftToCompletion, recoded, renamed } from '../changes/moves';
import { supersedeIfNegated } from '../changes/superseded-status';
import type { Changes } from '../rules/change';

export const procedureOfDstu2: Changes = {
  elements: {
    'Procedure.notPerformed': leftToCompletion,
    'Procedure.notes': renamed('note'),
    'Procedure.performer.role': renamed('function'),
    'Procedure.reason': renamed({ CodeableConcept: 'reasonCode', Reference: 'reasonReference' }),
    'Procedure.reasonNotPerformed': renamed('statusReason'),
    'Procedure.request': renamed('basedOn'),
    'Procedure.status': recoded(procedureStatus),
    'Procedure.used': renamed('usedReference'),
  },
  completions: {
    Procedure: (source, draft, run) => supersedeIfNegated(source, 'notPerformed', draft, 'not-done', 'Procedure', run),
    'Procedure.performer': (_source, draft) => unknownUnless(draft, 'actor'),
  },
};

export const procedureOfStu3: Changes = {
  elements: {
    'Procedure.context': renamed('encounter'),
    'Procedure.definition': canonical('instantiatesCanonical'),
    'Procedure.notDone': leftToCompletion,
    'Procedure.notDoneReason': renamed('statusReason'),
    'Procedure.performer.role': renamed('function'),
    'Procedure.status': recoded(procedureStatus),
  },
  completions: {
    Procedure: (source, draft, run) => supersedeIfNegated(source, 'notDone', draft, 'not-done', 'Procedure', run),
  },
};
