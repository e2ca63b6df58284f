/** Token parameters, and the top-level elements of the releases in which each looks for its codes. */
const tokenElements: Record<string, string[]> = {
  code: ['code', 'vaccineCode', 'medicationCodeableConcept', 'substance'],
  category: ['category'],
  status: ['status'],
  intent: ['intent'],
  'clinical-status': ['clinicalStatus'],
  identifier: ['identifier'],
  type: ['type'],
};

const lastUpdatedPrefixes = ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'sa', 'eb'] as const;

/** A search parameter that the server knows, as its statement of capabilities names it. */
export const searchParameters: Record<string, 'token' | 'reference' | 'date'> = {
  _id: 'token',
  _lastUpdated: 'date',
  patient: 'reference',
  subject: 'reference',
  ...Object.fromEntries(Object.keys(tokenElements).map((name) => [name, 'token' as const])),
};

/** Parameters that say how to answer, not what to look for. */
export const resultParameters = new Set([
  '_count',
  '_format',
  '_pretty',
  '_summary',
  '_total',
  '_sort',
  '_getpages',
  'startIndex',
]);

export interface Coding {
  system?: string;
  code: string;
}

/** Whether a resource carries one of the codes that a token parameter asks for (`code`, `system|code`, `|code`, `system|`; comma = or). */
export function matchesToken(parameter: string, asked: string, resource: Record<string, unknown>): boolean {
  const codings = (tokenElements[parameter] ?? []).flatMap((element) => codingsOf(resource[element]));
  return asked.split(',').some((token) => {
    const bar = token.indexOf('|');
    if (bar < 0) return codings.some((coding) => coding.code === token);
    const system = token.slice(0, bar);
    const code = token.slice(bar + 1);
    return codings.some((coding) => (coding.system ?? '') === system && (code === '' || coding.code === code));
  });
}

/** Whether an instant lies as `_lastUpdated` asks; undefined when the value is no date. */
export function matchesLastUpdated(asked: string, lastUpdated: number): boolean | undefined {
  const known = lastUpdatedPrefixes.find((prefix) => asked.startsWith(prefix));
  const range = periodOf(known ? asked.slice(2) : asked);
  if (!range) return undefined;
  const [start, end] = range;
  switch (known ?? 'eq') {
    case 'gt':
    case 'sa':
      return lastUpdated >= end;
    case 'ge':
      return lastUpdated >= start;
    case 'lt':
    case 'eb':
      return lastUpdated < start;
    case 'le':
      return lastUpdated < end;
    case 'ne':
      return lastUpdated < start || lastUpdated >= end;
    default:
      return lastUpdated >= start && lastUpdated < end;
  }
}

/** The codes of a code, Coding, CodeableConcept or Identifier, or of a list of them. */
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

/** The first instant of a FHIR date, dateTime or instant, and the first one after it. */
function periodOf(text: string): [number, number] | undefined {
  const match = /^(\d{4})(-(\d{2})(-(\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?)?)?$/.exec(text);
  if (!match) return undefined;
  const start = Date.parse(match[6] && !match[9] ? `${text}Z` : text);
  if (Number.isNaN(start)) return undefined;
  const next = new Date(start);
  if (match[8]) return [start, start + 1];
  if (match[7]) return [start, start + 1000];
  if (match[6]) return [start, start + 60_000];
  if (match[4]) next.setUTCDate(next.getUTCDate() + 1);
  else if (match[2]) next.setUTCMonth(next.getUTCMonth() + 1);
  else next.setUTCFullYear(next.getUTCFullYear() + 1);
  return [start, next.getTime()];
}
