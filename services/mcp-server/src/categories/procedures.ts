import { z } from 'zod';
import { conceptCodes, conceptName, conceptNames, noteText } from '../fhir/concepts';
import { at, nodesAt, textAt } from '../fhir/json';
import { periodText } from '../fhir/values';
import { type RecordCategory, inEachRelease, optionalText } from './record-category';

/** Procedure: https://hl7.org/fhir/R4/procedure.html */
export const procedures: RecordCategory = {
  noun: 'procedures',
  tool: 'list_procedures',
  title: 'Procedures',
  description: 'Lists operations and other procedures (FHIR Procedure) with date, reason and outcome, newest first.',
  searches: inEachRelease({ type: 'Procedure', sort: ['date'], date: 'date' }),
  fields: z.object({
    status: optionalText,
    performed: optionalText,
    reason: optionalText,
    body_site: optionalText,
    outcome: optionalText,
    complications: optionalText,
    note: optionalText,
  }),
  read(resource) {
    const status = textAt(resource, 'status');
    return {
      name: conceptName(at(resource, 'code')) ?? 'unnamed procedure',
      codes: conceptCodes(at(resource, 'code')),
      date: textAt(resource, 'performedDateTime') ?? textAt(resource, 'performedPeriod', 'start'),
      fields: {
        status,
        performed:
          textAt(resource, 'performedDateTime') ??
          periodText(at(resource, 'performedPeriod')) ??
          textAt(resource, 'performedString'),
        reason: conceptNames(nodesAt(resource, 'reasonCode')),
        body_site: conceptNames(nodesAt(resource, 'bodySite')),
        outcome: conceptName(at(resource, 'outcome')),
        complications: conceptNames(nodesAt(resource, 'complication')),
        note: noteText(resource),
      },
    };
  },
};
