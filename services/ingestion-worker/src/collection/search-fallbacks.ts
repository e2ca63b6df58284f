import type { FhirVersion } from '@tributary/contracts';
import { compartment } from '@tributary/fhir-definitions';
import { requiredParameters } from '../health-system/vendor-facts';

/** The searches that replace a refused one. */
export interface Fallback {
  searches: string[];
  /** What these searches may not find. */
  warning?: string;
}

type Rule = (search: Search) => Fallback | undefined;

interface Search {
  type: string;
  release: FhirVersion;
  parameters: URLSearchParams;
}

/**
 * The searches that replace one that the server refused as invalid (400, 422). Tried in this order: without
 * `_lastUpdated`, with the parameters that such servers require, with another parameter for the patient, without
 * `_count`. Each rule changes the search so that it does not apply again; therefore this ends.
 * @param search as `Type?query`
 * @returns undefined when there is no fallback left
 */
export function fallbackSearches(search: string, release: FhirVersion): Fallback | undefined {
  const [type = '', query = ''] = search.split('?');
  const refused = { type, release, parameters: new URLSearchParams(query) };
  for (const rule of [withoutDate, withRequiredParameters, withOtherPatientParameter, withoutCount]) {
    const fallback = rule(refused);
    if (fallback) return fallback;
  }
  return undefined;
}

/** The same search once for each set of additional parameters. */
export function variantsOf(search: string, sets: Record<string, string>[]): string[] {
  const [type = '', query = ''] = search.split('?');
  return sets.map(
    (set) => `${type}?${new URLSearchParams([...new URLSearchParams(query), ...Object.entries(set)]).toString()}`,
  );
}

const withoutDate: Rule = (search) => without(search, '_lastUpdated');
const withoutCount: Rule = (search) => without(search, '_count');

const withRequiredParameters: Rule = ({ type, release, parameters }) => {
  const sets = requiredParameters(type, release);
  const names = [...new Set(sets.flatMap((set) => Object.keys(set)))];
  if (names.length === 0 || names.some((name) => parameters.has(name))) return undefined;
  return {
    searches: variantsOf(`${type}?${parameters.toString()}`, sets),
    warning: `the health system wants ${names.join(' and ')} to be named; what has none of those we name is not found`,
  };
};

const withOtherPatientParameter: Rule = ({ type, release, parameters }) => {
  const patient = parameters.get('patient');
  const other = ['beneficiary', 'subject'].find((name) => compartment(release, 'Patient').get(type)?.includes(name));
  if (patient === null || other === undefined) return undefined;
  const renamed = [...parameters].map(
    ([name, value]) => (name === 'patient' ? [other, `Patient/${patient}`] : [name, value]) as [string, string],
  );
  return { searches: [`${type}?${new URLSearchParams(renamed).toString()}`] };
};

function without({ type, parameters }: Search, name: string): Fallback | undefined {
  if (!parameters.has(name)) return undefined;
  const kept = new URLSearchParams(parameters);
  kept.delete(name);
  return { searches: [`${type}?${kept.toString()}`] };
}
