import type { CollectionWarning, FhirVersion } from '@tributary/contracts';
import { requiredParameters } from '../../health-system/vendor-facts';
import type { SearchChange, SearchState } from '../../checkpoints/checkpoint';
import { changedSearches, changesFor, optionalParametersOf } from './search-changes';
import { initialPageSize, limitedSearchWarning } from '../plan/plan';
import { parseSearch, searchUrl } from '../plan/search-url';

/** What the searches of a collection have shown about the health system. Concurrently collected types share it. */
export interface AcceptedSearchForms {
  /** The largest `_count` that may be sent; 0 when none may. */
  pageSize: number;
  /** The optional parameters of searches that were accepted. */
  readonly accepted: Set<string>;
  /** `_revinclude` was refused, and no search with it was accepted. */
  isRevincludeRefused: boolean;
}

export function noAcceptedForms(): AcceptedSearchForms {
  return { pageSize: initialPageSize, accepted: new Set(), isRevincludeRefused: false };
}

/** The refusal of a search: the status, and the codes of the issues of its OperationOutcome. */
export interface Refusal {
  status: number;
  issueCodes: readonly string[];
}

/** Applies what other types have shown to the searches of a type that is not in progress. */
export function applyAcceptedForms(state: SearchState, acceptedForms: AcceptedSearchForms): void {
  if (state.refused) return;
  state.remaining = state.remaining.map((url) => {
    if (!url.includes('?')) return url;
    const { type, parameters } = parseSearch(url);
    if (Number(parameters.get('_count') ?? 0) > acceptedForms.pageSize) {
      if (acceptedForms.pageSize === 0) parameters.delete('_count');
      else parameters.set('_count', String(acceptedForms.pageSize));
    }
    if (acceptedForms.isRevincludeRefused && state.provenance === 'included' && parameters.has('_revinclude')) {
      parameters.delete('_revinclude');
      state.provenance = 'omitted';
    }
    return searchUrl({ type, parameters });
  });
}

/**
 * Replaces the searches of a type by the next form of them after a refusal of the first one. Only the first search that
 * the type makes has other forms; the others have the form that was accepted.
 * @returns false when no form is left: `remaining` has the searches as planned again
 */
export function fallBack(
  state: SearchState,
  refusal: Refusal,
  release: FhirVersion,
  acceptedForms: AcceptedSearchForms,
): boolean {
  if (state.isAccepted || !state.remaining[0]?.includes('?')) return false;
  const searches = state.refused?.searches ?? state.remaining;
  const current = state.refused?.change;
  const left = (state.refused?.left ?? changesFor(searches, release, acceptedForms.accepted)).filter((change) =>
    isApplicable(change, refusal, current),
  );
  const [next, ...others] = isRequirement(refusal) ? left.toSorted(additionsFirst) : left;
  if (!next) {
    state.remaining = searches;
    delete state.refused;
    return false;
  }
  const change = isRequirement(refusal) && addsParameter(next) ? withOptionalParametersOf(next, current) : next;
  state.refused = { searches, change, left: others };
  state.remaining = changedSearches(searches, change, release);
  return true;
}

/**
 * Records that the first page of a search was accepted.
 * @returns the warnings that name what was changed
 */
export function acceptSearch(
  state: SearchState,
  release: FhirVersion,
  acceptedForms: AcceptedSearchForms,
): CollectionWarning[] {
  const [search = ''] = state.remaining;
  const { change } = state.refused ?? {};
  // A parameter that another type may use is refused for this type only.
  if (change?.step === 'page-size' && !acceptedForms.accepted.has('_count')) acceptedForms.pageSize = change.count ?? 0;
  if (change?.step === 'revinclude') acceptedForms.isRevincludeRefused = !acceptedForms.accepted.has('_revinclude');
  for (const name of optionalParametersOf(search)) acceptedForms.accepted.add(name);
  state.isAccepted = true;
  if (!change) return [];
  delete state.refused;
  if (change.without?.includes('_revinclude') && state.provenance === 'included') state.provenance = 'omitted';
  const { type } = parseSearch(search);
  const warnings: CollectionWarning[] = [];
  if (change.step === 'page-size') warnings.push(pageSizeWarning(change.count ?? 0));
  const required = requiredParameters(type, release).find(({ name }) => name === change.required);
  if (required && !required.isExhaustive) warnings.push(limitedSearchWarning(required.name));
  return warnings;
}

function pageSizeWarning(count: number): CollectionWarning {
  return {
    code: 'page_size_refused',
    message: `the health system refused the page size; the search was repeated ${count > 0 ? `with pages of ${count}` : 'without one'}`,
  };
}

/** An issue with the code `required` says that a parameter is missing: leaving out others hardly helps. */
function isRequirement({ issueCodes }: Refusal): boolean {
  return issueCodes.includes('required');
}

function addsParameter({ step }: SearchChange): boolean {
  return step === 'required' || step === 'patient';
}

function additionsFirst(one: SearchChange, other: SearchChange): number {
  return Number(addsParameter(other)) - Number(addsParameter(one));
}

function isApplicable(change: SearchChange, { status }: Refusal, current: SearchChange | undefined): boolean {
  switch (status) {
    case 400:
    case 422:
      return true;
    case 403:
      // What exceeds the granted scopes or a limit is refused in this way; a missing parameter is not.
      return addsParameter(change)
        ? change.step === 'required' && current?.step === 'required'
        : change.step !== 'last-updated';
    case 413:
      return change.step === 'page-size';
    case 414:
      return change.isSplit === true;
    default:
      return false;
  }
}

/** A search that only lacked a parameter keeps its optional parameters. */
function withOptionalParametersOf(change: SearchChange, current: SearchChange | undefined): SearchChange {
  const { count: _count, without: _without, ...rest } = change;
  return {
    ...rest,
    ...(current?.count === undefined ? {} : { count: current.count }),
    ...(current?.without === undefined ? {} : { without: current.without }),
  };
}
