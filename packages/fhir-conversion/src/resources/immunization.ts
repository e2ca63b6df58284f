import type { JsonObject } from '@tributary/fhir-json';
import { unknownUnless } from '../element-rules/unknown-value';
import { flattened, leftToObjectRule, renamed } from '../element-rules/basic-rules';
import { replaceStatusIfNegated } from '../element-rules/superseded-status';
import type { ElementRule, ConversionRules } from '../rules/element-rule';
import { setProperty } from '../rules/target-property';
import { NotConvertible } from '../not-convertible';

const FUNCTIONS = 'http://terminology.hl7.org/CodeSystem/v2-0443';

/** The practitioner becomes a performer with a function. */
function performer(code: string, display: string): ElementRule {
  return (_source, target) => {
    const property = target.property('performer');
    const convert = target.objectConversion('Reference', 'Reference');
    return (value, _companion, draft, context) =>
      void setProperty(draft, property, {
        function: { coding: [{ system: FUNCTIONS, code, display }] },
        actor: convert(value ?? null, context),
      });
  };
}

/** primarySource is the negation of `reported`. */
const notReported: ElementRule = (source, target) => {
  const property = target.property('primarySource');
  return (value, companion, draft, context) => {
    if (value !== undefined && typeof value !== 'boolean')
      throw new NotConvertible(`${source.path} must be true or false.`);
    setProperty(draft, property, value === undefined ? undefined : !value, target.companion(companion, context));
  };
};

function completeOccurrence(draft: JsonObject): void {
  unknownUnless(draft, '_occurrenceDateTime', ['occurrenceDateTime', '_occurrenceDateTime']);
}

function completeDoseNumber(draft: JsonObject): void {
  unknownUnless(draft, '_doseNumberPositiveInt', ['doseNumberPositiveInt', '_doseNumberPositiveInt']);
}

const common: ConversionRules['elements'] = {
  'Immunization.date': renamed('occurrence'),
  'Immunization.explanation': flattened,
  'Immunization.explanation.reason': renamed('reasonCode'),
  'Immunization.explanation.reasonNotGiven': renamed('statusReason'),
  'Immunization.vaccinationProtocol': renamed('protocolApplied'),
  'Immunization.vaccinationProtocol.doseSequence': renamed('doseNumber'),
};

export const immunizationOfDstu2: ConversionRules = {
  elements: {
    ...common,
    'Immunization.performer': performer('AP', 'Administering Provider'),
    'Immunization.reported': notReported,
    'Immunization.requester': performer('OP', 'Ordering Provider'),
    'Immunization.wasNotGiven': leftToObjectRule,
  },
  objects: {
    Immunization: (source, draft, context) => {
      completeOccurrence(draft);
      replaceStatusIfNegated(source, 'wasNotGiven', draft, 'not-done', 'Immunization', context);
    },
    'Immunization.vaccinationProtocol': (_source, draft) => completeDoseNumber(draft),
  },
};

export const immunizationOfStu3: ConversionRules = {
  elements: {
    ...common,
    'Immunization.notGiven': leftToObjectRule,
    'Immunization.practitioner': renamed('performer'),
    'Immunization.practitioner.role': renamed('function'),
  },
  objects: {
    Immunization: (source, draft, context) => {
      completeOccurrence(draft);
      replaceStatusIfNegated(source, 'notGiven', draft, 'not-done', 'Immunization', context);
    },
    'Immunization.vaccinationProtocol': (_source, draft) => completeDoseNumber(draft),
  },
};
