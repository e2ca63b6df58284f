import type { FhirVersion } from '@tributary/contracts';
import { compartment } from '@tributary/fhir-definitions';
import type { SearchChange } from '../../checkpoints/checkpoint';
import { patientParameters, requiredParameters } from '../../health-system/vendor-facts';
import { type Search, parseSearch, searchUrl } from '../plan/search-url';

/** Search parameters that change nothing in which resources of the type match, or have a full search as substitute. */
const optionalParameters = ['_count', '_revinclude', '_lastUpdated'] as const;

const smallerPageSizes = [100, 50, 0];

/** The optional parameters of a search. */
export function optionalParametersOf(search: string): string[] {
  const { parameters } = parseSearch(search);
  return optionalParameters.filter((name) => parameters.has(name));
}

/**
 * The changes to try, in this order: a smaller page or none, no `_revinclude`, single values instead of a list, no
 * `_lastUpdated`; then those that change the meaning: parameters that servers require, another parameter for the
 * patient. What an earlier change left out stays out, unless other searches with it were accepted: it was not the
 * cause.
 * @param searches of one type, of the same form
 * @param accepted the optional parameters that the health system has accepted in other searches
 */
export function changesFor(
  searches: readonly string[],
  release: FhirVersion,
  accepted: ReadonlySet<string>,
): SearchChange[] {
  const { type, parameters } = parseSearch(searches[0] ?? '');
  const changes: SearchChange[] = [];
  const kept: Pick<SearchChange, 'count' | 'without' | 'isSplit'> = {};
  const leaveOut = (step: SearchChange['step'], name: string): void => {
    const without = [...(kept.without ?? []), name];
    changes.push({ step, ...kept, without });
    if (!accepted.has(name)) kept.without = without;
  };
  const count = Number(parameters.get('_count') ?? 0);
  if (count > 0) {
    const isAccepted = accepted.has('_count');
    for (const size of isAccepted ? [0] : smallerPageSizes.filter((size) => size < count))
      changes.push({ step: 'page-size', count: size });
    if (!isAccepted) kept.count = 0;
  }
  // The searches that belong to Provenance find it in no other way.
  if (parameters.has('_revinclude') && type !== 'Patient') leaveOut('revinclude', '_revinclude');
  if (searches.some((search) => splitValues(search).length > 1))
    changes.push({ step: 'single-values', ...kept, isSplit: true });
  if (parameters.has('_lastUpdated')) leaveOut('last-updated', '_lastUpdated');
  const required = requiredParameters(type, release).filter(({ name }) => !parameters.has(name));
  for (const { name } of required) changes.push({ step: 'required', ...kept, required: name });
  for (const { name } of required) changes.push({ step: 'required', ...kept, required: name, isSplit: true });
  for (const patient of otherPatientParameters({ type, parameters }, release)) {
    changes.push({ step: 'patient', ...kept, patient });
    for (const { name } of required) changes.push({ step: 'patient', ...kept, patient, required: name });
  }
  return changes;
}

/** The searches with a change. */
export function changedSearches(searches: readonly string[], change: SearchChange, release: FhirVersion): string[] {
  const changed = searches.map((url) => {
    const search = parseSearch(url);
    const { type, parameters } = search;
    if (change.count === 0) parameters.delete('_count');
    else if (change.count !== undefined) parameters.set('_count', String(change.count));
    for (const name of change.without ?? []) parameters.delete(name);
    const required = requiredParameters(type, release).find(({ name }) => name === change.required);
    if (required) parameters.set(required.name, required.values.join());
    return searchUrl(change.patient === undefined ? search : withPatientParameter(search, change.patient));
  });
  return change.isSplit ? changed.flatMap(splitValues) : changed;
}

/**
 * One search for each value of the first parameter that lists several. A comma after a backslash is part of a value.
 */
function splitValues(url: string): string[] {
  const search = parseSearch(url);
  const [name, list] = [...search.parameters].find(([, value]) => /[^\\],/.test(value)) ?? [];
  if (name === undefined || list === undefined) return [url];
  return list.split(/(?<!\\),/).map((value) => {
    const parameters = new URLSearchParams(search.parameters);
    parameters.set(name, value);
    return searchUrl({ type: search.type, parameters });
  });
}

function otherPatientParameters({ type, parameters }: Search, release: FhirVersion): string[] {
  if (!parameters.has('patient')) return [];
  const codes = compartment(release, 'Patient').get(type) ?? [];
  return patientParameters
    .filter(
      ({ name, releases }) => name !== 'patient' && (releases ? releases.includes(release) : codes.includes(name)),
    )
    .map(({ name }) => name);
}

function withPatientParameter({ type, parameters }: Search, name: string): Search {
  const isReference = patientParameters.find((candidate) => candidate.name === name)?.isReference ?? true;
  const renamed = [...parameters].map(([key, value]): [string, string] =>
    key === 'patient' ? [name, isReference ? `Patient/${value}` : value] : [key, value],
  );
  return { type, parameters: new URLSearchParams(renamed) };
}
