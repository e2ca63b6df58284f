import { forEachConcurrently } from '@tributary/service-kit';
import type { CollectionCheckpoint } from '../../checkpoints/checkpoint';
import type { HealthSystemClient, ReadResult } from '../../health-system/health-system-client';
import { HealthSystemRequestFailed, UnreadableResponse } from '../../health-system/request-failures';
import type { Reservation } from '../../health-system/response-memory-budget';
import { type CollectedRecord, hasAttachmentElsewhere } from '../record/collected-record';
import type { IncludedResources } from './included-resources';
import { lowerPageSize } from './lower-page-size';
import { nextLink } from './next-link';
import { countOutcomes, countsOf, warn } from '../../checkpoints/progress';
import { type Refusal, type AcceptedSearchForms, acceptSearch, applyAcceptedForms, fallBack } from './search-fallbacks';
import { endSearch, endType, failSearch, maxFailedAttemptsOfType, postponeSearch, startSearch } from './search-state';
import { type SearchsetPage, readAsPage, readSearchset } from '../../health-system/searchset';
import { TypeFailed } from '../../health-system/type-failed';
import { VisitedPages } from './visited-pages';

export interface TypeCollection {
  /** Changed as pages are stored. */
  checkpoint: CollectionCheckpoint;
  client: HealthSystemClient;
  record: CollectedRecord;
  acceptedForms: AcceptedSearchForms;
  included: IncludedResources;
}

/** Number of types that are collected at a time. */
const concurrentTypes = 4;
/** After this number of consecutive types without a response, the health system is checked. */
const maxUnreachableTypes = 4;
/**
 * Number of times that a search is restarted after its next page has expired: paging sessions of some servers are
 * shorter than the collection of a large type.
 */
const maxRestarts = 5;
/** After this number of consecutive failed searches, the other searches of the type are left to the next attempt. */
const maxFailuresInARow = 2;

/**
 * Collects several types concurrently. A `TypeFailed` does not affect the other types, unless the health system does
 * not respond to others either: then the remaining types are not requested. Any other error aborts them all, and is
 * thrown once nothing is in progress any more.
 * @param responds whether the health system still responds to other searches than those of these types
 * @param abort cancels what is in progress
 * @returns the types that failed
 */
export async function collectTypes(
  checkpoints: readonly CollectionCheckpoint[],
  collect: (checkpoint: CollectionCheckpoint) => Promise<void>,
  responds: (failures: readonly TypeFailed[]) => Promise<boolean>,
  abort: () => void,
): Promise<TypeFailed[]> {
  const queue = [...checkpoints];
  const failures: TypeFailed[] = [];
  let unreachable = 0;
  const attempt = async (checkpoint: CollectionCheckpoint): Promise<void> => {
    try {
      await collect(checkpoint);
      unreachable = 0;
    } catch (error) {
      if (!(error instanceof TypeFailed)) throw error;
      failures.push(error);
      unreachable = error.status === 0 ? unreachable + 1 : 0;
      if (unreachable < maxUnreachableTypes) return;
      unreachable = 0;
      if (!(await responds(failures))) queue.length = 0;
    }
  };
  await forEachConcurrently(queue, concurrentTypes, (checkpoint) =>
    attempt(checkpoint).catch((error: unknown) => {
      abort();
      throw error;
    }),
  );
  return failures;
}

/** A page that is requested, and the memory that it takes until it is stored. */
interface RequestedPage {
  url: string;
  response: Promise<ReadResult<SearchsetPage>>;
  reservation: Reservation;
}

/**
 * Collects one type from its checkpoint: its searches one after the other, each page by page; the checkpoint is saved
 * after each page. While a page is stored, the next one is requested. A search that the health system refuses, or that
 * no further attempt can complete, ends with a warning.
 * @throws TypeFailed when a search could not be completed, and a later attempt may complete it
 */
export async function collectType(collection: TypeCollection): Promise<void> {
  const { checkpoint, client, record, acceptedForms, included } = collection;
  const { search, progress } = checkpoint;
  const failures = new Map<string, TypeFailed>();
  let failuresInARow = 0;
  let visited = new VisitedPages();
  let visitedUrl = '';
  let requested: RequestedPage | undefined;
  while (!progress.done) {
    if (!startSearch(checkpoint)) return endType(checkpoint);
    if (search.page === undefined) applyAcceptedForms(search, acceptedForms);
    const url = search.remaining[0] ?? '';
    const failure = failures.get(url);
    if (failure) throw failure;
    if (!requested) {
      if (search.page === undefined || url !== visitedUrl) visited = new VisitedPages();
      visitedUrl = url;
      if (search.page === undefined) search.countsAtStart = countsOf(progress);
      requested = requestPage(collection, url, search.page ?? client.searchUrl(url));
    }
    try {
      requested = await collectPage(collection, url, visited, requested);
      failuresInARow = 0;
    } catch (error) {
      requested = undefined;
      if (!(error instanceof TypeFailed)) throw error;
      if (error.code === 'response_too_large' && lowerPageSize(checkpoint)) continue;
      if (error.isPermanent) failSearch(checkpoint, error);
      else if (!postponeSearch(checkpoint) || ++failuresInARow === maxFailuresInARow) throw error;
      else failures.set(url, error);
    }
    await record.save([checkpoint.type, ...included.types]).catch((error: unknown) => {
      if (requested) discard(requested);
      throw error;
    });
  }
}

/** Stores one page. @returns the next page, already requested, if there is one */
async function collectPage(
  collection: TypeCollection,
  searchUrl: string,
  visited: VisitedPages,
  { url, response, reservation }: RequestedPage,
): Promise<RequestedPage | undefined> {
  const { checkpoint, record } = collection;
  let ahead: RequestedPage | undefined;
  try {
    const result = await response;
    if (!result.ok) {
      handleRefusal(collection, result);
      return undefined;
    }
    const page = result.value;
    const isFirst = checkpoint.search.page === undefined;
    // "Nothing was found" can only answer the search itself; a page that was promised and is empty has been lost.
    if (!isFirst && page.hasNoBundle && !page.error) {
      restartSearch(checkpoint, 'was empty');
      return undefined;
    }
    if (isFirst && !page.error) accept(collection);
    const stopReason = visited.add(url, page);
    const next =
      stopReason === undefined
        ? nextLink(page.next, url, record.connection.fhir_base_url, (address) => visited.has(address))
        : ({ kind: 'stop', reason: stopReason } as const);
    if (next.kind === 'page') ahead = requestPage(collection, searchUrl, next.url);
    await storePage(collection, searchUrl, page);
    if (next.kind === 'stop') throw new TypeFailed(checkpoint.type, 'paging_failed', next.reason, true);
    if (next.kind === 'page') checkpoint.search.page = next.url;
    else endSearch(checkpoint);
    return ahead;
  } catch (error) {
    if (ahead) discard(ahead);
    throw error;
  } finally {
    reservation.release();
  }
}

/** Requests a page without waiting for it; its failure is handled where `response` is awaited. */
function requestPage({ client, checkpoint }: TypeCollection, searchUrl: string, url: string): RequestedPage {
  const { type, search } = checkpoint;
  const reservation = client.reservation();
  const isRead = !searchUrl.includes('?');
  const isLastAttempt = (search.failedAttempts ?? 0) + 1 >= maxFailedAttemptsOfType;
  const read = (body: Buffer): SearchsetPage => {
    const page = isRead ? readAsPage(type, body) : readSearchset(body);
    // The last attempt takes what the page has.
    if (page.error && !isLastAttempt) throw new UnreadableResponse(page.error.message, 'error_in_response');
    return page;
  };
  const response = client.get(url, { read, sizeLabel: type, reservation }).catch((error: unknown) => {
    throw error instanceof HealthSystemRequestFailed ? TypeFailed.afterRequest(type, error) : error;
  });
  response.catch(() => undefined);
  return { url, response, reservation };
}

/** Releases the memory of a page that is not needed, once its response has arrived. */
function discard({ response, reservation }: RequestedPage): void {
  void response.finally(() => reservation.release()).catch(() => undefined);
}

async function storePage(
  { checkpoint, record, included }: TypeCollection,
  searchUrl: string,
  page: SearchsetPage,
): Promise<void> {
  const { search, progress, type } = checkpoint;
  for (const { code, message } of page.warnings) warn(progress, code, message);
  progress.fetched += page.unreadable;
  progress.failed += page.unreadable;
  if (page.unreadable > 0) warn(progress, 'entry_unreadable', 'an entry of a page was no resource');
  const consented = record.connection.consented_types;
  // A search can return other types than were requested.
  const resources = page.resources.filter(({ key }) => consented?.includes(key.slice(0, key.indexOf('/'))) ?? true);
  const json = resources.map((resource) => resource.json);
  const outcomes = json.length > 0 ? await record.store(json, checkpoint) : [];
  if (outcomes.some(hasAttachmentElsewhere)) included.types.add('Binary');
  resources.forEach(({ key }, index) => {
    const counting = included.countingType(type, key);
    if (counting !== undefined) countOutcomes(record.checkpointOf(counting).progress, outcomes.slice(index, index + 1));
  });
  if (page.error) {
    warn(progress, page.error.code, page.error.message);
    search.isIncomplete = true;
  } else if (type === 'Patient' && page.resources.length === 0) {
    warn(progress, 'search_refused', 'the health system sent no Patient');
    search.isIncomplete = true;
  } else {
    search.answered = searchUrl;
    delete search.failedAttempts;
  }
}

/**
 * A refusal of a later page counts as an expired paging session: the search is restarted. A refusal of the first page
 * leads to other forms of the search when there are some; otherwise the search is skipped.
 */
function handleRefusal({ checkpoint, record, acceptedForms }: TypeCollection, refusal: Refusal): void {
  const { search, progress, type } = checkpoint;
  const { status } = refusal;
  if (search.page !== undefined) return restartSearch(checkpoint, `was refused with ${status}`, status);
  if (fallBack(search, refusal, record.connection.fhirVersion, acceptedForms)) return;
  if (search.isUnannounced && !search.isAccepted)
    warn(progress, 'no_patient_search', `the health system offers no search of ${type} by patient`);
  else {
    const isNotFound = type === 'Patient' && (status === 404 || status === 410);
    const code = isNotFound ? 'patient_not_found' : 'search_refused';
    warn(progress, code, `the health system refused ${type} with ${status}`);
  }
  search.isIncomplete = true;
  endSearch(checkpoint);
}

function accept({ checkpoint: { search, progress }, record, acceptedForms }: TypeCollection): void {
  const { fhirVersion } = record.connection;
  for (const { code, message } of acceptSearch(search, fhirVersion, acceptedForms)) warn(progress, code, message);
  if (search.loweredPageSize === undefined) return;
  const size = search.loweredPageSize;
  warn(
    progress,
    'page_size_refused',
    `large pages were too slow or too large; the search was repeated with pages of ${size}`,
  );
  delete search.loweredPageSize;
}

/**
 * Resets the counts to those before the search: resources that are stored already will count as unchanged.
 * @throws TypeFailed
 */
function restartSearch({ search, progress, type }: CollectionCheckpoint, reason: string, status?: number): void {
  const restarts = (search.restarts ?? 0) + 1;
  if (status === 401 || status === 403 || restarts > maxRestarts)
    throw new TypeFailed(type, 'paging_failed', `a page ${reason}`, false, status);
  warn(progress, 'search_restarted', `a page ${reason}; the search was restarted`);
  search.restarts = restarts;
  Object.assign(progress, search.countsAtStart);
  delete search.page;
}
