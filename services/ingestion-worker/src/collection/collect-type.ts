import type { FhirVersion, ResourceOutcome, TypeProgress } from '@tributary/contracts';
import type { CollectionCheckpoint } from '../checkpoints/checkpoints';
import type { HealthSystemClient, ReadResult } from '../health-system/health-system-client';
import { HealthSystemRequestFailed } from '../health-system/request-failures';
import type { Reservation } from '../health-system/response-memory-budget';
import { nextLink } from './next-link';
import { countOutcomes, countsOf, finish, markPartlyRefused, warn } from './progress';
import { type Refusal, type SearchExperience, acceptSearch, applyExperience, fallBack } from './search-fallbacks';
import { type SearchsetPage, collectedResource, readResource, readSearchset } from './searchset';
import { TypeFailed } from './type-failed';
import { noteRestriction } from './verification';
import { VisitedPages } from './visited-pages';

export interface TypeCollection {
  /** Changed as pages are stored. */
  checkpoint: CollectionCheckpoint;
  release: FhirVersion;
  fhirBaseUrl: string;
  client: HealthSystemClient;
  experience: SearchExperience;
  /**
   * The progress that counts a resource (`Type/id`) which the searches return; undefined when it is counted elsewhere.
   */
  progressFor(key: string): TypeProgress | undefined;
  /** Stores the JSON of resources; the outcomes have the same order. */
  store(resources: string[]): Promise<ResourceOutcome[]>;
  /** Saves the checkpoint; called after every stored page. */
  save(): Promise<void>;
}

/**
 * How many times a search is restarted whose next page has expired: paging sessions of some servers are shorter than a
 * large type takes.
 */
const maxRestarts = 5;

/** A page that is requested, and the memory that it takes until it is stored. */
interface RequestedPage {
  url: string;
  response: Promise<ReadResult<SearchsetPage>>;
  reservation: Reservation;
}

/**
 * Collects one type from its checkpoint, page by page; the checkpoint is saved after each page. While a page is stored,
 * the next one is requested. A type that the health system refuses ends with a warning.
 * @throws TypeFailed when a page could not be read
 */
export async function collectType(collection: TypeCollection): Promise<void> {
  const { checkpoint, client, experience } = collection;
  let visited = new VisitedPages();
  let requested: RequestedPage | undefined;
  while (!checkpoint.progress.done) {
    const { search, progress } = checkpoint;
    if (search.page === undefined) {
      visited = new VisitedPages();
      search.countsAtStart = countsOf(progress);
      applyExperience(search, experience);
    }
    const url = search.remaining[0] ?? '';
    requested ??= requestPage(collection, url, search.page ?? client.searchUrl(url));
    requested = await collectPage(collection, url, visited, requested);
    await collection.save().catch((error: unknown) => {
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
  const { checkpoint, fhirBaseUrl } = collection;
  let ahead: RequestedPage | undefined;
  try {
    const result = await response;
    if (!result.ok) {
      handleRefusal(collection, result);
      return undefined;
    }
    if (checkpoint.search.page === undefined) accept(collection);
    const stopReason = visited.add(url, result.value);
    const next =
      stopReason === undefined
        ? nextLink(result.value.next, url, fhirBaseUrl, (address) => visited.has(address))
        : ({ kind: 'stop', reason: stopReason } as const);
    if (next.kind === 'page') ahead = requestPage(collection, searchUrl, next.url);
    await storePage(collection, result.value);
    if (next.kind === 'stop') throw new TypeFailed(checkpoint.type, 'paging_failed', next.reason, true);
    if (next.kind === 'page') checkpoint.search.page = next.url;
    else finishSearch(checkpoint);
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
  const isRead = !searchUrl.includes('?');
  const reservation = client.reservation();
  const response = client
    .get(url, { read: isRead ? readAsPage : readSearchset, sizeLabel: checkpoint.type, reservation })
    .catch((error: unknown) => {
      throw error instanceof HealthSystemRequestFailed ? TypeFailed.afterRequest(checkpoint.type, error) : error;
    });
  response.catch(() => undefined);
  return { url, response, reservation };
}

/** Releases the memory of a page that is not needed, once its response has arrived. */
function discard({ response, reservation }: RequestedPage): void {
  void response.finally(() => reservation.release()).catch(() => undefined);
}

function readAsPage(body: Buffer): SearchsetPage {
  return { resources: [collectedResource(readResource(body))], warnings: [], unreadable: 0, next: undefined };
}

async function storePage(
  { checkpoint: { progress }, store, progressFor }: TypeCollection,
  page: SearchsetPage,
): Promise<void> {
  for (const warning of page.warnings) warn(progress, 'health_system_warning', warning);
  progress.fetched += page.unreadable;
  progress.failed += page.unreadable;
  if (page.unreadable > 0) warn(progress, 'entry_unreadable', 'an entry of a page was no resource');
  if (page.resources.length === 0) return;
  const outcomes = await store(page.resources.map(({ json }) => json));
  page.resources.forEach(({ key }, index) => {
    const counting = progressFor(key);
    if (counting) countOutcomes(counting, outcomes.slice(index, index + 1));
  });
}

/**
 * A refusal of a later page counts as an expired paging session: the search is restarted. A refusal of the first page
 * leads to other forms of the search when there are some; otherwise the search is skipped.
 */
function handleRefusal({ checkpoint, release, experience }: TypeCollection, refusal: Refusal): void {
  const { search, progress, type } = checkpoint;
  const { status } = refusal;
  if (search.page !== undefined) return restartSearch(checkpoint, status);
  if (fallBack(search, refusal, release, experience)) return;
  if (search.isUnannounced && !search.isAccepted)
    warn(progress, 'no_patient_search', `the health system offers no search of ${type} by patient`);
  else warn(progress, 'search_refused', `the health system refused ${type} with ${status}`);
  search.isRefused = true;
  finishSearch(checkpoint);
}

function accept({ checkpoint: { search, progress }, release, experience }: TypeCollection): void {
  for (const { code, message } of acceptSearch(search, release, experience)) warn(progress, code, message);
}

/**
 * Resets the counts to those before the search: resources that are stored already will count as unchanged.
 * @throws TypeFailed
 */
function restartSearch({ search, progress, type }: CollectionCheckpoint, status: number): void {
  const restarts = (search.restarts ?? 0) + 1;
  if (status === 401 || status === 403 || restarts > maxRestarts)
    throw new TypeFailed(type, 'search_refused', `a page was refused with ${status}`, false, status);
  warn(progress, 'search_restarted', `a page was refused with ${status}; the search was begun again`);
  search.restarts = restarts;
  Object.assign(progress, search.countsAtStart);
  delete search.page;
}

function finishSearch({ search, progress }: CollectionCheckpoint): void {
  noteRestriction(search, search.remaining.shift() ?? '');
  delete search.page;
  delete search.restarts;
  delete search.countsAtStart;
  if (search.remaining.length > 0) return;
  if (search.isAccepted) markPartlyRefused(progress);
  finish(progress);
}
