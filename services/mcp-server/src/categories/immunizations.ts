import { z } from 'zod';
import { conceptCodes, conceptName, conceptNames, noteText } from '../fhir/concepts';
import { at, decimalAt, nodesAt, textAt } from '../fhir/json';
import { quantityText } from '../fhir/values';
import { type RecordCategory, inEachRelease, optionalText } from './record-category';

/** Immunization: https://hl7.org/fhir/R4/immunization.html */
export const immunizations: RecordCategory = {
  noun: 'immunizations',
  tool: 'list_immunizations',
  title: 'Immunizations',
  description:
    'Lists vaccinations (FHIR Immunization) with date, dose and lot, newest first. An entry with the status not-done is a vaccination that was not given.',
  searches: inEachRelease({ type: 'Immunization', sort: ['date'], date: 'date' }),
  fields: z.object({
    status: optionalText,
    date: optionalText,
    dose: optionalText.describe('The number of the dose in its series.'),
    quantity: optionalText,
    lot: optionalText,
    manufacturer: optionalText,
    site: optionalText,
    reason: optionalText.describe('Why it was given, or not given.'),
    note: optionalText,
  }),
  read(resource) {
    const status = textAt(resource, 'status');
    const date = textAt(resource, 'occurrenceDateTime');
    return {
      name: conceptName(at(resource, 'vaccineCode')) ?? 'unnamed vaccine',
      codes: conceptCodes(at(resource, 'vaccineCode')),
      date,
      sameness: status,
      fields: {
        status,
        date: date ?? textAt(resource, 'occurrenceString'),
        dose:
          decimalAt(resource, 'protocolApplied', 'doseNumberPositiveInt') ??
          textAt(resource, 'protocolApplied', 'doseNumberString'),
        quantity: quantityText(at(resource, 'doseQuantity')),
        lot: textAt(resource, 'lotNumber'),
        manufacturer: textAt(resource, 'manufacturer', 'display'),
        site: conceptName(at(resource, 'site')),
        reason: conceptName(at(resource, 'statusReason')) ?? conceptNames(nodesAt(resource, 'reasonCode')),
        note: noteText(resource),
      },
    };
  },
};
