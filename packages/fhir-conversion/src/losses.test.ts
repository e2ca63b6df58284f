import { isJsonObject, type JsonValue } from '@tributary/fhir-json';
import { convertToR4, type SourceRelease } from './index';
import { convertibleTypes } from './resources';
import { randomFrom, ResourceMaker } from '../test/resource-maker';

/** The elements without an element in R4. */
const WITHOUT_A_PLACE = {
  dstu2: [
    'AllergyIntolerance.reaction.certainty',
    'DocumentReference.created',
    'Immunization.vaccinationProtocol.description',
    'Immunization.vaccinationProtocol.doseStatus',
    'Immunization.vaccinationProtocol.doseStatusReason',
    'MedicationOrder.dateEnded',
    'MedicationOrder.dispenseRequest.medication',
    'Patient.animal',
  ],
  stu3: [
    'DiagnosticReport.performer.role',
    'DocumentReference.created',
    'Immunization.vaccinationProtocol.description',
    'Immunization.vaccinationProtocol.doseStatus',
    'Immunization.vaccinationProtocol.doseStatusReason',
    'MedicationRequest.requester.onBehalfOf',
    'Money.comparator',
    'Money.system',
    'Money.unit',
    'Patient.animal',
  ],
} as const;

/**
 * The elements of which R4 has only some types, codes or occurrences. The comment names those that R4 does not have.
 */
const PARTLY_WITHOUT = {
  dstu2: [
    'AllergyIntolerance.category', // "other"
    'AllergyIntolerance.status', // codes that are no status in R4
    'Condition.abatement', // a boolean
    'Condition.clinicalStatus', // codes of other systems, which dstu2 allows; any status with entered-in-error
    'Condition.verificationStatus', // "unknown"
    'DocumentReference.content.format', // all but the first
    'DocumentReference.context.related', // extensions of the component
    'DocumentReference.docStatus', // concepts with more than a code
    'Encounter.class', // codes whose R4 class is more general
    'HumanName.family', // several parts
    'Immunization.explanation', // extensions of the component
    'Immunization.explanation.reasonNotGiven', // all but the first
    'Immunization.status', // a status that R4 replaces by not-done
    'Immunization.wasNotGiven', // with the status entered-in-error
    'MedicationOrder.dosageInstruction.site', // a reference
    'MedicationStatement.dosage.site', // a reference
    'MedicationStatement.status', // a status that R4 replaces by not-taken
    'MedicationStatement.wasNotTaken', // with the status entered-in-error
    'Observation.component.value', // an attachment
    'Observation.related', // other relations than members and sources
    'Observation.value', // an attachment
    'Procedure.notPerformed', // with the status entered-in-error
    'Procedure.reasonNotPerformed', // all but the first
    'Procedure.status', // a status that R4 replaces by not-done
    'Reference.reference', // types that R4 does not have
    'Timing.repeat.count', // zero
    'Timing.repeat.frequency',
    'Timing.repeat.frequencyMax',
  ],
  stu3: [
    'AllergyIntolerance.clinicalStatus', // with the status entered-in-error
    'Condition.abatement', // a boolean
    'Condition.clinicalStatus', // with the status entered-in-error
    'Condition.context', // an episode of care
    'Condition.verificationStatus', // "unknown"
    'DiagnosticReport.context', // an episode of care
    'DiagnosticReport.performer', // extensions of the component
    'DocumentReference.context.related', // extensions of the component
    'Immunization.explanation', // extensions of the component
    'Immunization.explanation.reasonNotGiven', // all but the first
    'Immunization.notGiven', // with the status entered-in-error
    'Immunization.status', // a status that R4 replaces by not-done
    'MedicationRequest.context', // an episode of care
    'MedicationRequest.definition', // references that are no URL
    'MedicationRequest.requester', // extensions of the component
    'MedicationStatement.status', // a status that R4 replaces by not-taken
    'MedicationStatement.taken', // "not applicable", and values with the status entered-in-error
    'Observation.component.value', // an attachment
    'Observation.context', // an episode of care
    'Observation.related', // other relations than members and sources
    'Observation.value', // an attachment
    'Procedure.context', // an episode of care
    'Procedure.definition', // references that are no URL
    'Procedure.notDone', // with the status entered-in-error
    'Procedure.status', // a status that R4 replaces by not-done
    'Reference.reference', // types that R4 does not have
    'Timing.repeat.count', // zero
    'Timing.repeat.countMax',
    'Timing.repeat.frequency',
    'Timing.repeat.frequencyMax',
  ],
} as const;

/**
 * Strings that ResourceMaker generates and R4 refuses. They can be in an extension of any element, so they are ignored.
 */
const ODD_STRINGS = /^-0044|^0000$|with space$/;

/** Adds the paths of the elements that are written to cross-version extensions in a value. */
function carriedIn(value: JsonValue | undefined, found: Set<string>): void {
  if (Array.isArray(value)) return value.forEach((item) => carriedIn(item, found));
  if (!isJsonObject(value)) return;
  const { url, valueString } = value;
  const path = typeof url === 'string' ? /\/extension-([A-Za-z.]+)$/.exec(url)?.[1] : undefined;
  if (path !== undefined && !(typeof valueString === 'string' && ODD_STRINGS.test(valueString))) found.add(path);
  Object.values(value).forEach((member) => carriedIn(member, found));
}

describe.each(['dstu2', 'stu3'] as const satisfies SourceRelease[])(
  'the elements of %s that are written to extensions',
  (release) => {
    it('are exactly those without an equivalent in R4', () => {
      const found = new Set<string>();
      for (const type of convertibleTypes[release]) {
        for (let seed = 0; seed < 200; seed++)
          carriedIn(
            convertToR4(release, new ResourceMaker(release, randomFrom(seed), 0.2 + seed / 300).resource(type))
              .resource,
            found,
          );
      }
      const expected = new Set<string>([...WITHOUT_A_PLACE[release], ...PARTLY_WITHOUT[release]]);
      expect([...found].filter((path) => !expected.has(path))).toEqual([]);
      expect(WITHOUT_A_PLACE[release].filter((path) => !found.has(path))).toEqual([]);
    });
  },
);
