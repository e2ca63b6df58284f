import { isJsonObject, type JsonValue } from '@tributary/fhir-json';
import { mergedInto, renamed } from '../changes/moves';
import type { Change, Changes } from '../rules/change';
import { place } from '../rules/draft';

const STATUSES: ReadonlySet<unknown> = new Set(['preliminary', 'final', 'amended', 'entered-in-error']);
const STATUS_SYSTEMS: ReadonlySet<unknown> = new Set([undefined, 'http://hl7.org/fhir/composition-status']);

/** The concept is a code in R4. One that says more than the code is carried as well. */
const docStatus: Change = (source, site) => {
  const slot = site.slot('docStatus');
  const carry = site.carry(source);
  return (value, companion, draft, run) => {
    const code = statusOf(value);
    if (code !== undefined) place(draft, slot, code);
    if (code === undefined || !isOnlyCode(value)) carry(value, companion, draft, run);
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

const common: Changes['elements'] = {
  'DocumentReference.class': renamed('category'),
  'DocumentReference.indexed': renamed('date'),
};

/** In the context, what is related has an identifier, a reference or both; in R4 the reference has the identifier. */
const context: Changes['elements'] = { 'DocumentReference.context.related': mergedInto('related', 'ref') };

export const documentReferenceOfDstu2: Changes = {
  elements: { ...common, ...context, 'DocumentReference.docStatus': docStatus },
};

export const documentReferenceOfStu3: Changes = { elements: { ...common, ...context } };
