import type { GrantFacts } from '../authorization/grant';
import type { PatientRecord } from '../records/patient-record';
import type { Release } from '../releases';

/** An answer as it goes out. */
export interface Reply {
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
  accept: string;
  now: number;
}

/** One request at the token endpoint. */
export interface TokenExchange {
  grantType: string;
  /** How the client authenticated. */
  method: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
  /** The Authorization header before any decoding. */
  authorization: string | undefined;
  counters: Counters;
  now: number;
}

/** How tokens are given out. */
export interface TokenRules {
  accessTokenSeconds?: number;
  /**
   * `rotating`: each refresh gives a new one and ends the old. `absent`: an answer has none, the old one goes on. `same`: an answer repeats it.
   * `one-use`: as rotating, and a second use of a spent one ends the whole grant. `never`: none is issued at all.
   */
  refresh?: 'rotating' | 'absent' | 'same' | 'one-use' | 'never';
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
  /** The scopes granted of those that could be. */
  grantedScopes?(scopes: string[]): string[];
  /** The smart-configuration served instead; undefined hides it behind a 404. */
  smartConfiguration?(document: Record<string, unknown>): Record<string, unknown> | undefined;
  capabilities?(document: Record<string, unknown>): Record<string, unknown>;
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
