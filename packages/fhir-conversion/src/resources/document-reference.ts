import { isJsonObject, type JsonValue } from '@tributary/fhir-json';
import { flattenedInto, renamed } from '../element-rules/basic-rules';
import type { ElementRule, ConversionRules } from '../rules/element-rule';
import { setProperty } from '../rules/target-property';

const STATUSES: ReadonlySet<unknown> = new Set(['preliminary', 'final', 'amended', 'entered-in-error']);
const STATUS_SYSTEMS: ReadonlySet<unknown> = new Set([undefined, 'http://hl7.org/fhir/composition-status']);

/** The CodeableConcept is a code in R4. A concept with more than the code is also written to an extension. */
const docStatus: ElementRule = (source, target) => {
  const property = target.property('docStatus');
  const writeExtension = target.writeExtension(source);
  return (value, companion, draft, context) => {
    const code = statusOf(value);
    if (code !== undefined) setProperty(draft, property, code);
    if (code === undefined || !isOnlyCode(value)) writeExtension(value, companion, draft, context);
  };
};

function statusOf(concept: JsonValue | undefined): string | undefined {
  for (const coding of codingsOf(concept)) {
    if (
      isJsonObject(coding) &&
      typeof coding['code'] === 'string' &&
      STATUSES.has(coding['code']) &&
      STATUS_SYSTEMS.has(coding['system'])
    )
      return coding['code'];
  }
  return undefined;
}

function isOnlyCode(concept: JsonValue | undefined): boolean {
  const [coding] = codingsOf(concept);
  return (
    isJsonObject(concept) &&
    Object.keys(concept).length === 1 &&
    codingsOf(concept).length === 1 &&
    isJsonObject(coding) &&
    Object.keys(coding).every((name) => name === 'system' || name === 'code')
  );
}

function codingsOf(concept: JsonValue | undefined): readonly JsonValue[] {
  const codings = isJsonObject(concept) ? concept['coding'] : undefined;
  return Array.isArray(codings) ? codings : [];
}

const common: ConversionRules['elements'] = {
  'DocumentReference.class': renamed('category'),
  'DocumentReference.indexed': renamed('date'),
};

/** context.related has an identifier and a reference; in R4 the Reference has the identifier. */
const context: ConversionRules['elements'] = { 'DocumentReference.context.related': flattenedInto('related', 'ref') };

export const documentReferenceOfDstu2: ConversionRules = {
  elements: { ...common, ...context, 'DocumentReference.docStatus': docStatus },
};

export const documentReferenceOfStu3: ConversionRules = { elements: { ...common, ...context } };
