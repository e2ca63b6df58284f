import { z } from 'zod';
import { conceptCodes, conceptName, conceptNames } from '../fhir/concepts';
import { at, nodesAt, textAt } from '../fhir/json';
import { periodText } from '../fhir/values';
import { type RecordCategory, inEachRelease, optionalText } from './record-category';

const currentStatuses = new Set(['planned', 'arrived', 'triaged', 'in-progress', 'onleave']);

/** Encounter: https://hl7.org/fhir/R4/encounter.html */
export const encounters: RecordCategory = {
  noun: 'encounters',
  tool: 'list_encounters',
  title: 'Encounters',
  description:
    'Lists visits, admissions and other encounters (FHIR Encounter) with period, reason and place; planned and current ones first, then newest first.',
  searches: inEachRelease({ type: 'Encounter', sort: ['date'], date: 'date' }),
  current: 'only encounters that are planned or in progress',
  fields: z.object({
    status: optionalText,
    class: optionalText.describe('Such as ambulatory, emergency or inpatient.'),
    period: optionalText,
    reason: optionalText,
    place: optionalText,
    organization: optionalText,
    participants: optionalText,
    discharge: optionalText.describe('Where the patient went afterwards.'),
  }),
  read(resource) {
    const status = textAt(resource, 'status');
    const type = nodesAt(resource, 'type').find((each) => conceptName(each) !== undefined);
    const kind = textAt(resource, 'class', 'display') ?? textAt(resource, 'class', 'code');
    const displays = (nodes: readonly unknown[]): string | undefined =>
      [...new Set(nodes.flatMap((node) => textAt(node, 'display') ?? []))].join(', ') || undefined;
    return {
      name: conceptName(type) ?? conceptName(at(resource, 'serviceType')) ?? kind ?? 'encounter',
      codes: conceptCodes(type),
      date: textAt(resource, 'period', 'start') ?? textAt(resource, 'period', 'end'),
      isCurrent: status === undefined ? undefined : currentStatuses.has(status),
      fields: {
        status,
        class: kind,
        period: periodText(at(resource, 'period')),
        reason: conceptNames(nodesAt(resource, 'reasonCode')),
        place: displays(nodesAt(resource, 'location').map((each) => at(each, 'location'))),
        organization: textAt(resource, 'serviceProvider', 'display'),
        participants: displays(nodesAt(resource, 'participant').map((each) => at(each, 'individual'))),
        discharge: conceptName(at(resource, 'hospitalization', 'dischargeDisposition')),
      },
    };
  },
};
