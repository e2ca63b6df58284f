import { fhirContentType, operationOutcome, problemReply, type Severity } from '../fhir/operation-outcome';
import type { Capabilities, CapableType, FhirExchange, PageEntry, Reply, SearchPage, TokenExchange } from './scenario';

type Before = (exchange: FhirExchange) => Reply | undefined;
type Condition = (exchange: Pick<FhirExchange, 'interaction' | 'type'>) => boolean;

const requests =
  (interaction: FhirExchange['interaction']) =>
  (...types: string[]): Condition =>
  (exchange) =>
    exchange.interaction === interaction && (types.length === 0 || types.includes(exchange.type));

/** Requests for the first page of a search of these types, or of all types. */
export const searches = requests('search');
/** Requests for a later page of a search of these types, or of all types. */
export const nextPages = requests('next-page');
/** Reads of these types, or of all types. */
export const reads = requests('read');

/** The nth request of a grant for the same resource, or the same type, that meets a condition. */
export function nth(n: number, name: string, condition: Condition): (exchange: FhirExchange) => boolean {
  return (exchange) => {
    const { counters, release, type, id = '' } = exchange;
    return condition(exchange) && counters.count(`${name} ${release} ${type}/${id}`) === n;
  };
}

/**
 * Every third distinct request of a grant, the first time that it is made. The repeated request succeeds, also after a
 * restart of the client.
 */
export function everyThirdFirstTime({ counters, address }: FhirExchange): boolean {
  return counters.count(`requested ${address}`) === 1 && counters.count('distinct requests') % 3 === 0;
}

/** Replaces the response to the requests that meet a condition. */
export function answer(
  condition: (exchange: FhirExchange) => boolean,
  reply: Reply | ((exchange: FhirExchange) => Reply),
): Before {
  return (exchange) => {
    if (!condition(exchange)) return undefined;
    return typeof reply === 'function' ? reply(exchange) : reply;
  };
}

/** Answers the requests that meet a condition with an OperationOutcome with an error. */
export function refuse(
  condition: (exchange: FhirExchange) => boolean,
  status: number,
  code: string,
  diagnostics: string,
  headers: Record<string, string> = {},
): Before {
  return answer(condition, ({ release }) => problemReply(release, status, code, diagnostics, headers));
}

/** A response with an OperationOutcome. */
export function outcome(status: number, severity: Severity, code: string, diagnostics: string) {
  return ({ release }: FhirExchange): Reply => ({
    status,
    headers: { 'Content-Type': fhirContentType(release) },
    body: operationOutcome(severity, code, diagnostics),
  });
}

export function html(status: number, body: string): Reply {
  return { status, headers: { 'Content-Type': 'text/html' }, body };
}

export function plainText(status: number, body: string): Reply {
  return { status, headers: { 'Content-Type': 'text/plain' }, body };
}

export function redirect(address: string): Reply {
  return { status: 302, headers: { Location: address }, body: '' };
}

export const noContent: Reply = { status: 204, headers: {}, body: '' };

export const closedConnection: Reply = { status: 0, headers: {}, body: '' };

/** An error response of an OAuth endpoint (RFC 6749, section 5.2). */
export function oauthError(status: number, error: string, headers: Record<string, string> = {}): Reply {
  return {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
    body: JSON.stringify({ error }),
  };
}

/** Replaces the response to every token request of a grant type. */
export function answerGrant(grantType: 'authorization_code' | 'refresh_token', reply: Reply) {
  return (exchange: TokenExchange): Reply | undefined => (exchange.grantType === grantType ? reply : undefined);
}

/** Pages of at most this number of entries. */
export function atMost(size: number): (requested: number) => number {
  return (requested) => Math.min(requested, size);
}

/** The size of pages that give every record next links. */
export const smallPage = 15;

/** Changes the next link of a page; the last page has none and stays as it is. */
export function changeNext(write: (url: string, exchange: FhirExchange, page: SearchPage) => string) {
  return (page: SearchPage, exchange: FhirExchange): SearchPage => ({
    ...page,
    links: page.links.map((link) =>
      link.relation === 'next' ? { ...link, url: write(link.url, exchange, page) } : link,
    ),
  });
}

/** Adds an entry to each page that meets a condition. */
export function addEntry(condition: (exchange: FhirExchange) => boolean, mode: PageEntry['mode'], text: string) {
  return (page: SearchPage, exchange: FhirExchange): SearchPage =>
    condition(exchange) ? { ...page, entries: [...page.entries, { text, mode }] } : page;
}

/** Changes the text of each entry of the pages of a type, or of all pages. */
export function changeEntries(change: (text: string, index: number) => string, type?: string) {
  return (page: SearchPage, exchange: FhirExchange): SearchPage =>
    type === undefined || exchange.type === type
      ? { ...page, entries: page.entries.map((entry, index) => ({ ...entry, text: change(entry.text, index) })) }
      : page;
}

/** Changes the body of a reply if it is text. */
export function changeText(change: (text: string, exchange: FhirExchange) => string) {
  return (reply: Reply, exchange: FhirExchange): Reply =>
    typeof reply.body === 'string' ? { ...reply, body: change(reply.body, exchange) } : reply;
}

/** Inserts a member at the start of a JSON object. */
export function withMember(text: string, member: string): string {
  return text.replace('{', `{${member},`);
}

/** Changes what the capability statement says of each type. */
export function changeTypes(change: (resource: CapableType) => CapableType) {
  return (document: Capabilities): Capabilities => ({
    ...document,
    rest: document.rest.map((rest) => ({ ...rest, resource: rest.resource.map(change) })),
  });
}

type SearchParameters = NonNullable<CapableType['searchParam']>;

/** Changes the search parameters that the capability statement declares for the searchable types. */
export function changeSearchParameters(declare: (type: string, declared: SearchParameters) => SearchParameters) {
  return changeTypes((resource) =>
    resource.searchParam ? { ...resource, searchParam: declare(resource.type, resource.searchParam) } : resource,
  );
}

/** Declares that these types can be read and not searched. */
export function declareReadOnly(...types: string[]) {
  return changeTypes((resource) =>
    types.includes(resource.type) ? { type: resource.type, interaction: [{ code: 'read' }] } : resource,
  );
}
