import { parseDateTimeParameter } from '@tributary/fhir-json';

/** Token parameters, and the top-level elements that each searches, in all releases. */
const tokenElements = new Map(
  Object.entries({
    code: ['code', 'vaccineCode', 'medicationCodeableConcept', 'substance'],
    category: ['category'],
    status: ['status'],
    intent: ['intent'],
    'clinical-status': ['clinicalStatus'],
    identifier: ['identifier'],
    type: ['type'],
  }),
);

const lastUpdatedPrefixes = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'sa', 'eb'] as const;

/** A supported search parameter, as declared in the capability statement. */
export const searchParameters = new Map<string, 'token' | 'reference' | 'date'>([
  ['_id', 'token'],
  ['_lastUpdated', 'date'],
  ['patient', 'reference'],
  ['subject', 'reference'],
  ...[...tokenElements.keys()].map((name) => [name, 'token'] as const),
]);

/** Search result parameters, which filter nothing. */
export const resultParameters = new Set([
  '_count',
  '_format',
  '_pretty',
  '_summary',
  '_total',
  '_sort',
  '_getpages',
  'startIndex',
  '-pageContext',
  '-pageDirection',
]);

export interface Coding {
  system?: string;
  code: string;
}

/**
 * Whether a resource has one of the codes of a token parameter (`code`, `system|code`, `|code`, `system|`; a comma
 * means or).
 */
export function matchesToken(parameter: string, requested: string, resource: Record<string, unknown>): boolean {
  const codings = (tokenElements.get(parameter) ?? []).flatMap((element) => codingsOf(resource[element]));
  return requested.split(',').some((token) => {
    const bar = token.indexOf('|');
    if (bar < 0) return codings.some((coding) => coding.code === token);
    const system = token.slice(0, bar);
    const code = token.slice(bar + 1);
    return codings.some((coding) => (coding.system ?? '') === system && (code === '' || coding.code === code));
  });
}

/** Whether an instant matches a value of `_lastUpdated`; undefined when the value is invalid. */
export function matchesLastUpdated(requested: string, lastUpdated: number): boolean | undefined {
  const known = lastUpdatedPrefixes.find((prefix) => requested.startsWith(prefix));
  const searched = parseDateTimeParameter(known ? requested.slice(2) : requested);
  if (!searched) return undefined;
  const { low, high } = searched;
  switch (known ?? 'eq') {
    case 'gt':
    case 'sa':
      return lastUpdated > high;
    case 'ge':
      return lastUpdated >= low;
    case 'lt':
    case 'eb':
      return lastUpdated < low;
    case 'le':
      return lastUpdated <= high;
    case 'ne':
      return lastUpdated < low || lastUpdated > high;
    default:
      return lastUpdated >= low && lastUpdated <= high;
  }
}

/** The codes in a code, Coding, CodeableConcept or Identifier, or in a list of them. */
function codingsOf(element: unknown): Coding[] {
  if (Array.isArray(element)) return element.flatMap(codingsOf);
  if (typeof element === 'string') return [{ code: element }];
  if (typeof element !== 'object' || element === null) return [];
  const { coding, system, code, value } = element as {
    coding?: unknown;
    system?: string;
    code?: string;
    value?: string;
  };
  if (Array.isArray(coding)) return coding.flatMap(codingsOf);
  const own = code ?? value;
  return own === undefined ? [] : [{ code: own, ...(system === undefined ? {} : { system }) }];
}
