import { z } from 'zod';
import { conceptCodes, conceptName, conceptNames, noteText, statusCode } from '../fhir/concepts';
import { at, nodesAt, shortened, textAt } from '../fhir/json';
import { type RecordCategory, inEachRelease, optionalText } from './record-category';

/** AllergyIntolerance: https://hl7.org/fhir/R4/allergyintolerance.html */
export const allergies: RecordCategory = {
  noun: 'allergies',
  tool: 'list_allergies',
  title: 'Allergies and intolerances',
  description:
    'Lists allergies and intolerances (FHIR AllergyIntolerance) with reactions and criticality, current ones first. An entry such as "No known allergies" is a statement; an empty list is not.',
  searches: inEachRelease({ type: 'AllergyIntolerance', sort: ['date'] }),
  current: 'only allergies that are active, or whose status is not stated',
  fields: z.object({
    status: optionalText,
    verification: optionalText.describe('The verification status where it is not `confirmed`.'),
    criticality: optionalText,
    reactions: optionalText.describe('Manifestations, with their severity.'),
    category: optionalText,
    type: optionalText,
    recorded: optionalText,
    note: optionalText,
  }),
  read(resource) {
    const verification = statusCode(at(resource, 'verificationStatus'));
    const status = statusCode(at(resource, 'clinicalStatus'));
    const reactions = nodesAt(resource, 'reaction');
    const code = at(resource, 'code') ?? at(reactions, 'substance');
    const categories = at(resource, 'category');
    return {
      name: conceptName(code) ?? 'unnamed substance',
      codes: conceptCodes(code),
      date: textAt(resource, 'recordedDate') ?? textAt(resource, 'onsetDateTime'),
      isCurrent: status === undefined ? undefined : status === 'active',
      fields: {
        status,
        verification: verification === 'confirmed' ? undefined : verification,
        criticality: textAt(resource, 'criticality'),
        reactions:
          shortened(
            reactions
              .map((reaction) =>
                [conceptNames(nodesAt(reaction, 'manifestation')), textAt(reaction, 'severity')]
                  .filter(Boolean)
                  .join(' – '),
              )
              .filter(Boolean)
              .join('; '),
            400,
          ) || undefined,
        category: Array.isArray(categories)
          ? categories.filter((each) => typeof each === 'string').join(', ')
          : undefined,
        type: textAt(resource, 'type'),
        recorded: textAt(resource, 'recordedDate'),
        note: noteText(resource),
      },
    };
  },
};
