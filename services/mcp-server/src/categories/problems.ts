import { z } from 'zod';
import { conceptCodes, conceptName, conceptNames, noteText, statusCode } from '../fhir/concepts';
import { at, nodesAt, textAt } from '../fhir/json';
import { periodText, quantityText } from '../fhir/values';
import { type RecordCategory, optionalText } from './record-category';

const currentStatuses = new Set(['active', 'recurrence', 'relapse']);

/** Conditions: https://hl7.org/fhir/R4/condition.html */
export const problems: RecordCategory = {
  noun: 'problems',
  tool: 'list_problems',
  title: 'Problems and diagnoses',
  description:
    'Lists problems, diagnoses and health concerns (FHIR Condition), current ones first, then by onset, newest first.',
  searches: {
    r4: [{ type: 'Condition', sort: ['onset-date', 'recorded-date'] }],
    stu3: [{ type: 'Condition', sort: ['onset-date', 'asserted-date'] }],
    dstu2: [{ type: 'Condition', sort: ['onset', 'date-recorded'] }],
  },
  current: 'only conditions whose clinical status is active, recurrence or relapse, or not stated',
  fields: z.object({
    status: optionalText.describe('The clinical status.'),
    verification: optionalText.describe('The verification status where it is not `confirmed`.'),
    onset: optionalText,
    ended: optionalText.describe('When it was resolved.'),
    recorded: optionalText,
    category: optionalText,
    severity: optionalText,
    body_site: optionalText,
    note: optionalText,
  }),
  read(resource) {
    const verification = statusCode(at(resource, 'verificationStatus'));
    const status = statusCode(at(resource, 'clinicalStatus'));
    const onset =
      textAt(resource, 'onsetDateTime') ??
      periodText(at(resource, 'onsetPeriod')) ??
      quantityText(at(resource, 'onsetAge')) ??
      textAt(resource, 'onsetString');
    const recorded = textAt(resource, 'recordedDate');
    const ended =
      textAt(resource, 'abatementDateTime') ??
      textAt(resource, 'abatementPeriod', 'end') ??
      textAt(resource, 'abatementString');
    return {
      name: conceptName(at(resource, 'code')) ?? 'unnamed condition',
      codes: conceptCodes(at(resource, 'code')),
      date: textAt(resource, 'onsetDateTime') ?? textAt(resource, 'onsetPeriod', 'start') ?? recorded,
      isCurrent: status === undefined ? (ended === undefined ? undefined : false) : currentStatuses.has(status),
      fields: {
        status,
        verification: verification === 'confirmed' ? undefined : verification,
        onset,
        ended,
        recorded: onset === undefined ? recorded : undefined,
        category: conceptNames(nodesAt(resource, 'category')),
        severity: conceptName(at(resource, 'severity')),
        body_site: conceptNames(nodesAt(resource, 'bodySite')),
        note: noteText(resource),
      },
    };
  },
};
