import { procedureStatus } from '../code-maps/statuses';
import { unknownUnless } from '../element-rules/unknown-value';
import { canonical } from '../element-rules/canonical';
import { leftToObjectRule, recoded, renamed } from '../element-rules/basic-rules';
import { replaceStatusIfNegated } from '../element-rules/superseded-status';
import type { ConversionRules } from '../rules/element-rule';

export const procedureOfDstu2: ConversionRules = {
  elements: {
    'Procedure.notPerformed': leftToObjectRule,
    'Procedure.notes': renamed('note'),
    'Procedure.performer.role': renamed('function'),
    'Procedure.reason': renamed({ CodeableConcept: 'reasonCode', Reference: 'reasonReference' }),
    'Procedure.reasonNotPerformed': renamed('statusReason'),
    'Procedure.request': renamed('basedOn'),
    'Procedure.status': recoded(procedureStatus),
    'Procedure.used': renamed('usedReference'),
  },
  objects: {
    Procedure: (source, draft, context) =>
      replaceStatusIfNegated(source, 'notPerformed', draft, 'not-done', 'Procedure', context),
    'Procedure.performer': (_source, draft) => unknownUnless(draft, 'actor'),
  },
};

export const procedureOfStu3: ConversionRules = {
  elements: {
    'Procedure.context': renamed('encounter'),
    'Procedure.definition': canonical('instantiatesCanonical'),
    'Procedure.notDone': leftToObjectRule,
    'Procedure.notDoneReason': renamed('statusReason'),
    'Procedure.performer.role': renamed('function'),
    'Procedure.status': recoded(procedureStatus),
  },
  objects: {
    Procedure: (source, draft, context) =>
      replaceStatusIfNegated(source, 'notDone', draft, 'not-done', 'Procedure', context),
  },
};
