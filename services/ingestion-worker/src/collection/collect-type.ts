import type { LineOutcome, TypeProgress } from '@tributary/contracts';
import { type HealthSystemClient, HealthSystemUnreachable } from '../health-system/health-system-client';
import { categorySearches } from '../health-system/vendor-facts';
import type { Position } from '../positions/positions';
import { nextLink } from './next-link';
import { variantsOf } from './plan';
import { warn } from './progress';
import { NotABundle, readResource, readSearchset } from './searchset';
import { stringifyJson } from '@tributary/fhir-json';

export interface TypeCollection {
  position: Position;
  fhirBaseUrl: string;
  client: HealthSystemClient;
  /** Stores lines; the outcomes come in their order. */
  store(lines: string[]): Promise<LineOutcome[]>;
  /** Called after every page, once it is stored. */
  save(position: Position): Promise<void>;
}

/** A page could not be had: the type is not complete, and the collection must not say so. */
export class PageFailed extends Error {
  constructor(
    readonly type: string,
    reason: string,
  ) {
    super(`${type}: ${reason}`);
    this.name = 'PageFailed';
  }
}

/** More pages than any record has: a server that never ends. */
const mostPages = 100_000;

/**
 * Collects one type from where it stands, page by page; the position is saved after each. A type the health system refuses ends with a warning.
 * @throws PageFailed when a page could not be fetched or read
 */
export async function collectType(collection: TypeCollection): Promise<void> {
  const { position } = collection;
  const seen = new Set<string>();
  for (let page = 0; position.cursor.searches.length > 0; page++) {
    if (page > mostPages) throw new PageFailed(position.type, 'the pages do not end');
    await collectPage(collection, seen);
    if (position.cursor.searches.length === 0) position.progress.done = true;
    await collection.save(position);
  }
}

async function collectPage(collection: TypeCollection, seen: Set<string>): Promise<void> {
  const { position, fhirBaseUrl, client } = collection;
  const { progress, type } = position;
  const search = position.cursor.searches[0] ?? '';
  const url = position.cursor.page ?? new URL(search, `${fhirBaseUrl.replace(/\/+$/, '')}/`).href;
  const answer = await fetchPage(client, type, url);
  if (answer.status >= 400) return refused(collection, search, answer.status);
  const isRead = !search.includes('?');
  try {
    const page = isRead ? { lines: [stringifyJson(readResource(answer.body))], warnings: [], unreadable: 0, next: undefined } : readSearchset(answer.body);
    for (const warning of page.warnings) warn(progress, warning);
    count(progress, page.lines.length, page.unreadable, page.lines.length > 0 ? await collection.store(page.lines) : []);
    seen.add(url);
    const next = nextLink(page.next, url, fhirBaseUrl, seen);
    if (next.kind === 'stop') warn(progress, next.reason);
    if (next.kind === 'page') position.cursor.page = next.url;
    else finishSearch(position);
    if (next.kind === 'stop') throw new PageFailed(type, next.reason);
  } catch (error) {
    if (error instanceof NotABundle) throw new PageFailed(type, error.message);
    throw error;
  }
}

async function fetchPage(client: HealthSystemClient, type: string, url: string): ReturnType<HealthSystemClient['get']> {
  try {
    return await client.get(url);
  } catch (error) {
    if (error instanceof HealthSystemUnreachable) throw new PageFailed(type, `the health system ${error.message}`);
    throw error;
  }
}

/** The first page of a search was refused: a server that wants a category gets it; what it refuses for good is a warning; in mid-search it is an expired cursor. */
function refused({ position }: TypeCollection, search: string, status: number): void {
  const { cursor, progress, type } = position;
  if (cursor.page !== undefined) {
    if (progress.warnings.includes(restarted)) throw new PageFailed(type, `a page was refused with ${status} twice`);
    warn(progress, restarted);
    delete cursor.page;
    return;
  }
  const variants = status === 400 || status === 422 ? categorySearches(type) : [];
  if (variants.length > 0 && !alreadyVaried(search, variants)) {
    cursor.searches = [...variantsOf(search, variants), ...cursor.searches.slice(1)];
    return;
  }
  warn(progress, `the health system refused this type with ${status}`);
  finishSearch(position);
}

const restarted = 'a page was refused; the search was begun again';

function alreadyVaried(search: string, variants: Record<string, string>[]): boolean {
  const names = new URLSearchParams(search.split('?')[1]);
  return variants.some((variant) => Object.keys(variant).some((name) => names.has(name)));
}

function finishSearch({ cursor }: Position): void {
  cursor.searches.shift();
  delete cursor.page;
}

function count(progress: TypeProgress, fetched: number, unreadable: number, outcomes: LineOutcome[]): void {
  progress.fetched += fetched + unreadable;
  progress.failed += unreadable;
  if (unreadable > 0) warn(progress, 'an entry of a page was no resource');
  for (const { outcome, reason } of outcomes) {
    progress[outcome]++;
    if (outcome === 'failed') warn(progress, `a resource was not stored: ${reason ?? 'no reason given'}`);
  }
}
