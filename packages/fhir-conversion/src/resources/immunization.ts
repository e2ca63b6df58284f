import type { JsonObject } from '@tributary/fhir-json';
import { unknownUnless } from '../changes/absent';
import { dissolved, leftToCompletion, renamed } from '../changes/moves';
import { supersedeIfNegated } from '../changes/superseded-status';
import type { Change, Changes } from '../rules/change';
import { place } from '../rules/draft';
import { NotConvertible } from '../not-convertible';

const FUNCTIONS = 'http://terminology.hl7.org/CodeSystem/v2-0443';

/** The practitioner becomes a performer who says in what function. */
function performer(code: string, display: string): Change {
  return (_source, site) => {
    const slot = site.slot('performer');
    const convert = site.object('Reference', 'Reference');
    return (value, _companion, draft, run) =>
      void place(draft, slot, {
        function: { coding: [{ system: FUNCTIONS, code, display }] },
        actor: convert(value ?? null, run),
      });
  };
}

/** What was not reported by another is from the primary source. */
const notReported: Change = (source, site) => {
  const slot = site.slot('primarySource');
  return (value, companion, draft, run) => {
    if (value !== undefined && typeof value !== 'boolean')
      throw new NotConvertible(`${source.path} must be true or false.`);
    place(draft, slot, value === undefined ? undefined : !value, site.companion(companion, run));
  };
};

function completeOccurrence(draft: JsonObject): void {
  unknownUnless(draft, '_occurrenceDateTime', ['occurrenceDateTime', '_occurrenceDateTime']);
}

function completeDoseNumber(draft: JsonObject): void {
  unknownUnless(draft, '_doseNumberPositiveInt', ['doseNumberPositiveInt', '_doseNumberPositiveInt']);
}

const common: Changes['elements'] = {
  'Immunization.date': renamed('occurrence'),
  'Immunization.explanation': dissolved,
  'Immunization.explanation.reason': renamed('reasonCode'),
  'Immunization.explanation.reasonNotGiven': renamed('statusReason'),
  'Immunization.vaccinationProtocol': renamed('protocolApplied'),
  'Immunization.vaccinationProtocol.doseSequence': renamed('doseNumber'),
};

export const immunizationOfDstu2: Changes = {
  elements: {
    ...common,
    'Immunization.performer': performer('AP', 'Administering Provider'),
    'Immunization.reported': notReported,
    'Immunization.requester': performer('OP', 'Ordering Provider'),
    'Immunization.wasNotGiven': leftToCompletion,
  },
  completions: {
    Immunization: (source, draft, run) => {
      completeOccurrence(draft);
      supersedeIfNegated(source, 'wasNotGiven', draft, 'not-done', 'Immunization', run);
    },
    'Immunization.vaccinationProtocol': (_source, draft) => completeDoseNumber(draft),
  },
};

export const immunizationOfStu3: Changes = {
  elements: {
    ...common,
    'Immunization.notGiven': leftToCompletion,
    'Immunization.practitioner': renamed('performer'),
    'Immunization.practitioner.role': renamed('function'),
  },
  completions: {
    Immunization: (source, draft, run) => {
      completeOccurrence(draft);
      supersedeIfNegated(source, 'notGiven', draft, 'not-done', 'Immunization', run);
    },
    'Immunization.vaccinationProtocol': (_source, draft) => completeDoseNumber(draft),
  },
};
