import type { GrantFacts } from '../authorization/grant';
import type { ClientMethod } from '../clients/registered-clients';
import type { PatientRecord } from '../records/patient-record';
import type { Release } from '../releases';

/** An answer as it goes out. */
export interface Reply {
  /** 0 hangs up without an answer. */
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** One entry of a page: a resource's text, or an OperationOutcome's. */
export interface PageEntry {
  fullUrl?: string;
  text: string;
  mode: 'match' | 'include' | 'outcome';
}

/** One page of a search before it is written down. */
export interface SearchPage {
  total?: number;
  links: { relation: string; url: string }[];
  entries: PageEntry[];
}

/** Counts of things that happened under one grant; they make "the first time" and "every third time" possible. */
export interface Counters {
  /** Counts one more of `what`, and tells how many there have been. */
  count(what: string): number;
}

/** One authorized FHIR request. */
export interface FhirExchange {
  release: Release;
  /** The FHIR base as this request named it. */
  base: string;
  /** An origin which leads to this process too, but is not the FHIR origin. */
  elsewhere: string;
  grant: GrantFacts;
  /** When the access token of the request was issued, in milliseconds since 1970. */
  tokenIssuedAt: number;
  counters: Counters;
  interaction: 'read' | 'search' | 'next-page' | 'everything';
  type: string;
  id?: string;
  parameters: URLSearchParams;
  /** How many entries of the search lie before this page. */
  offset: number;
  /** The query of a later page, as its next link had it. */
  cursor?: string;
  /** What is asked for, in one word: the same for the same request made again. */
  address: string;
  accept: string;
  /** How many requests of this person's clients are open, this one included. */
  open: number;
  now: number;
}

/** One request at the token endpoint. */
export interface TokenExchange {
  grantType: string;
  counters: Counters;
  now: number;
}

export interface OauthEndpoints {
  authorize: string;
  token: string;
  revoke: string;
  introspect: string;
  jwks: string;
}

/** The part of a statement of capabilities that scenarios change. */
export interface Capabilities {
  rest: { resource: CapableType[]; [element: string]: unknown }[];
  [element: string]: unknown;
}

export interface CapableType {
  type: string;
  searchParam?: { name: string; type: string }[];
  [element: string]: unknown;
}

/** How tokens are given out. */
export interface TokenRules {
  accessTokenSeconds?: number;
  /**
   * `rotating`: each refresh gives a new one and ends the old. `absent`: an answer has none, the old one goes on. `same`: an answer repeats it.
   * `one-use`: as rotating, and a second use of a spent one ends the whole grant. `never`: none is issued at all.
   */
  refresh?: 'rotating' | 'absent' | 'same' | 'one-use' | 'never';
  /** The only ways in which clients may authenticate, whatever is announced. */
  methods?: ClientMethod[];
  /** Takes Basic credentials as they stand, without the percent-decoding of RFC 6749. */
  rawBasicCredentials?: boolean;
}

/**
 * A way in which real health systems misbehave. A scenario says only what differs from the plain server;
 * it is chosen at sign-in (`username+scenario`) or by the path (`/s/{scenario}/fhir/r4`), and several may be joined by `+`.
 */
export interface Scenario {
  name: string;
  /** What the sandbox does, in one sentence. */
  does: string;
  /** The row of the field report that it plays. */
  area: string;
  tokens?: TokenRules;
  /** Whether `Patient/{id}/$everything` is there; the plain server has none. */
  everything?: boolean;
  /** How many entries a page has, given what the client asked for. */
  pageSize?(asked: number): number;
  /** Search parameters that are taken and have no effect. */
  ignores?: string[];
  /** How many milliseconds an answer is late. */
  delay?: number;
  /** An answer of the authorization endpoint instead of the plain one; `path` is the one that was asked for. */
  authorizationRequest?(path: string): Reply | undefined;
  /** Why these scopes are refused altogether. */
  refusesScopes?(scopes: string[]): string | undefined;
  /** The scopes granted of those that could be. */
  grantedScopes?(scopes: string[]): string[];
  /** The addresses of the OAuth endpoints that both documents of discovery tell. */
  endpoints?(endpoints: OauthEndpoints, elsewhereOrigin: string): OauthEndpoints;
  /** The smart-configuration served instead; undefined hides it behind a 404. */
  smartConfiguration?(document: Record<string, unknown>): Record<string, unknown> | undefined;
  capabilities?(document: Capabilities): Capabilities;
  /** An answer of the token endpoint instead of the plain one. */
  tokenRequest?(exchange: TokenExchange): Reply | undefined;
  /** An answer instead of the plain one, before anything is looked up. */
  before?(exchange: FhirExchange): Reply | undefined;
  /** The record served instead of the person's own. */
  record?(record: PatientRecord, release: Release): PatientRecord;
  page?(page: SearchPage, exchange: FhirExchange): SearchPage;
  /** The last word on a successful answer. */
  reply?(reply: Reply, exchange: FhirExchange): Reply;
}
