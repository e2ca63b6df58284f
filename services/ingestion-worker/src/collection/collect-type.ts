import type { FhirVersion, ResourceOutcome } from '@tributary/contracts';
import type { AnswerRoom } from '../health-system/answer-budget';
import type { Answer, HealthSystemClient } from '../health-system/health-system-client';
import { HealthSystemUnreachable } from '../health-system/health-system-unreachable';
import type { Position } from '../positions/positions';
import { searchesInstead } from './instead';
import { nextLink } from './next-link';
import { PageFailed } from './page-failed';
import { PageTrail } from './page-trail';
import { countOutcomes, countsOf, warn } from './progress';
import { type SearchsetPage, collectedLine, readResource, readSearchset } from './searchset';

export interface TypeCollection {
  position: Position;
  release: FhirVersion;
  fhirBaseUrl: string;
  client: HealthSystemClient;
  /** Stores lines; the outcomes come in their order. */
  store(lines: string[]): Promise<ResourceOutcome[]>;
  /** Called after every page, once it is stored. */
  save(position: Position): Promise<void>;
}

/** A search whose cursor expires is begun again so often; sessions of some servers are shorter than a large type. */
const mostRestarts = 5;

/** A page on its way, and the room that it takes until it is stored. */
interface ComingPage {
  url: string;
  answer: Promise<Answer<SearchsetPage>>;
  room: AnswerRoom;
}

/**
 * Collects one type from where it stands, page by page; the position is saved after each. While a page is stored the next one is fetched.
 * A type the health system refuses ends with a warning.
 * @throws PageFailed when a page could not be had
 */
export async function collectType(collection: TypeCollection): Promise<void> {
  const { position } = collection;
  let trail = new PageTrail();
  let coming: ComingPage | undefined;
  while (!position.progress.done) {
    const { cursor, progress } = position;
    const search = cursor.searches[0] ?? '';
    if (cursor.page === undefined) {
      trail = new PageTrail();
      cursor.before = countsOf(progress);
    }
    coming = await collectPage(
      collection,
      search,
      trail,
      coming ?? fetchPage(collection, search, cursor.page ?? collection.client.addressOf(search)),
    );
    await collection.save(position).catch((error: unknown) => {
      if (coming) giveUp(coming);
      throw error;
    });
  }
}

/** @returns the page behind, if there is one, on its way */
async function collectPage(
  collection: TypeCollection,
  search: string,
  trail: PageTrail,
  { url, answer: coming, room }: ComingPage,
): Promise<ComingPage | undefined> {
  const { position, fhirBaseUrl } = collection;
  let ahead: ComingPage | undefined;
  try {
    const answer = await coming;
    if (!answer.ok) {
      refused(collection, search, answer.status);
      return undefined;
    }
    const end = trail.note(url, answer.value);
    const next =
      end === undefined
        ? nextLink(answer.value.next, url, fhirBaseUrl, (address) => trail.hasRead(address))
        : ({ kind: 'stop', reason: end } as const);
    if (next.kind === 'page') ahead = fetchPage(collection, search, next.url);
    await storePage(collection, answer.value);
    if (next.kind === 'stop') throw new PageFailed(position.type, next.reason, true);
    if (next.kind === 'page') position.cursor.page = next.url;
    else finishSearch(position);
    return ahead;
  } catch (error) {
    if (ahead) giveUp(ahead);
    throw error;
  } finally {
    room.release();
  }
}

/** Begins to fetch a page; what comes of it is looked at when its turn comes. */
function fetchPage({ client, position }: TypeCollection, search: string, url: string): ComingPage {
  const isRead = !search.includes('?');
  const room = client.room();
  const answer = client
    .get(url, { read: isRead ? readAsPage : readSearchset, kind: position.type, room })
    .catch((error: unknown) => {
      throw error instanceof HealthSystemUnreachable ? PageFailed.unreachable(position.type, error) : error;
    });
  answer.catch(() => undefined);
  return { url, answer, room };
}

/** Nobody waits for the page any more. */
function giveUp({ answer, room }: ComingPage): void {
  void answer.finally(() => room.release()).catch(() => undefined);
}

function readAsPage(body: Buffer): SearchsetPage {
  return { resources: [collectedLine(readResource(body))], warnings: [], unreadable: 0, next: undefined };
}

async function storePage({ position: { progress }, store }: TypeCollection, page: SearchsetPage): Promise<void> {
  for (const warning of page.warnings) warn(progress, warning);
  progress.fetched += page.unreadable;
  progress.failed += page.unreadable;
  if (page.unreadable > 0) warn(progress, 'an entry of a page was no resource');
  if (page.resources.length > 0) countOutcomes(progress, await store(page.resources.map(({ line }) => line)));
}

/** In mid-search a refusal is taken for an expired cursor. At its beginning another search is tried where one is known; else the type is not to be had. */
function refused({ position, release }: TypeCollection, search: string, status: number): void {
  const { cursor, progress, type } = position;
  if (cursor.page !== undefined) return beginAgain(position, status);
  const instead = status === 400 || status === 422 ? searchesInstead(search, release) : undefined;
  if (instead) {
    cursor.searches = [...instead.searches, ...cursor.searches.slice(1)];
    if (instead.warning) warn(progress, instead.warning);
    return;
  }
  warn(progress, `the health system refused ${type} with ${status}`);
  cursor.isRefused = true;
  finishSearch(position);
}

/** What was counted is counted again: what is stored already comes back as unchanged. */
function beginAgain(position: Position, status: number): void {
  const { cursor, progress, type } = position;
  const restarts = (cursor.restarts ?? 0) + 1;
  if (status === 401 || status === 403 || restarts > mostRestarts)
    throw new PageFailed(type, `a page was refused with ${status}`, false, status);
  warn(progress, `a page was refused with ${status}; the search was begun again`);
  cursor.restarts = restarts;
  Object.assign(progress, cursor.before);
  delete cursor.page;
}

function finishSearch({ cursor, progress }: Position): void {
  cursor.searches.shift();
  delete cursor.page;
  delete cursor.restarts;
  delete cursor.before;
  if (cursor.searches.length === 0) progress.done = true;
}
