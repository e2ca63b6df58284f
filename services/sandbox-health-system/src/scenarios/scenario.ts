import type { Counters, GrantClaims } from '../authorization/grant';
import type { AuthenticationMethod } from '../clients/registered-clients';
import type { PatientRecord } from '../records/patient-record';
import type { Release } from '../releases';

/** A response to be sent. */
export interface Reply {
  /** 0 closes the connection without a response. */
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** One entry of a page: the text of a resource or of an OperationOutcome. */
export interface PageEntry {
  fullUrl?: string;
  text: string;
  mode: 'match' | 'include' | 'outcome';
}

/** One page of a search before it is rendered. */
export interface SearchPage {
  total?: number;
  links: { relation: string; url: string }[];
  entries: PageEntry[];
}

/** The interaction of a FHIR request, from its path and parameters. */
export interface Target {
  interaction: 'read' | 'search' | 'next-page' | 'everything';
  type: string;
  id?: string;
  parameters: URLSearchParams;
  /** The number of entries before this page. */
  offset: number;
  /** The query of the next link that led to this page. */
  cursor?: string;
  /** Set for `$everything` and its later pages. */
  everything?: boolean;
  /** The content of a Binary is sent, whatever the client accepts. */
  isContent?: boolean;
}

/** One authorized FHIR request. */
export interface FhirExchange extends Target {
  release: Release;
  /** The FHIR base of the request. */
  base: string;
  /** The address of the person at another origin of this process. */
  otherOrigin: string;
  grant: GrantClaims;
  /** When the access token of the request was issued, in epoch milliseconds. */
  tokenIssuedAt: number;
  counters: Counters;
  /** The query as it was sent, without the question mark. */
  query: string;
  /** Identifies the request: equal for repeated requests. */
  address: string;
  accept: string;
  /** `If-Modified-Since`, in epoch milliseconds. */
  modifiedSince?: number;
  /** The number of requests in progress for this person, this one included. */
  open: number;
  now: number;
}

/** A request to the token endpoint. */
export interface TokenExchange {
  grantType: string;
  counters: Counters;
  now: number;
}

export interface OauthEndpoints {
  authorize: string;
  token: string;
  revoke: string;
  jwks: string;
}

/** The part of a CapabilityStatement that scenarios change. */
export interface Capabilities {
  rest: { resource: CapableType[]; [element: string]: unknown }[];
  [element: string]: unknown;
}

export interface CapableType {
  type: string;
  searchParam?: { name: string; type: string }[];
  [element: string]: unknown;
}

/** How tokens are issued. */
export interface TokenRules {
  accessTokenSeconds?: number;
  /**
   * `rotating`: each refresh issues a new one and revokes the old one. `absent`: the response has none, the old one
   * stays valid. `same`: the response repeats it. `one-use`: like `rotating`, but the reuse of a revoked one revokes
   * the grant. `never`: none is issued.
   */
  refresh?: 'rotating' | 'absent' | 'same' | 'one-use' | 'never';
  /** The authentication methods that are accepted, whatever discovery declares. */
  methods?: AuthenticationMethod[];
  /** Names no patient, and this user instead in the id_token; `nobody`: no user either. */
  user?: 'nobody' | 'Practitioner' | 'RelatedPerson';
  /** The reference of the user who signs in instead of the patient; the token names the patient. */
  otherUser?(patientId: string): string;
  /** Claims of the access token, which is a JWT then. */
  accessTokenClaims?(patientId: string | undefined, grant: GrantClaims): Record<string, unknown>;
  /** Does not percent-decode Basic credentials, against RFC 6749, section 2.3.1. */
  rawBasicCredentials?: boolean;
}

/**
 * A misbehaviour of real health systems. A scenario defines only what differs from the plain server;
 * it is chosen at sign-in (`username+scenario`) or by the path (`/s/{scenario}/fhir/r4`), and several may be joined by
 * `+`.
 */
export interface Scenario {
  name: string;
  /** What the sandbox does, in one sentence without a subject. */
  description: string;
  /** The area that it belongs to. */
  area: string;
  tokens?: TokenRules;
  /** Whether `Patient/{id}/$everything` exists; the plain server does not have it. */
  everything?: boolean;
  /** The number of entries of a page, given the requested number. */
  pageSize?(requested: number): number;
  /** Search parameters that are accepted without an effect. */
  ignores?: string[];
  /** Whether the read of a deleted resource is answered with 410; with 404 otherwise. */
  remembersDeletions?: boolean;
  /** The delay of a response, in milliseconds; it can depend on the request. */
  delay?: number | ((target: Target) => number);
  /** Replaces the response of the authorization endpoint; `path` is the requested path. */
  authorizationRequest?(path: string): Reply | undefined;
  /** The reason why these scopes are refused with `invalid_scope`; undefined when they are not. */
  refusesScopes?(scopes: string[]): string | undefined;
  /** The scopes that are granted of those that the plain server would grant. */
  grantedScopes?(scopes: string[]): string[];
  /** Changes the parameters of an authorization response with a code. */
  authorizationResponse?(response: Record<string, string>, issuer: string): Record<string, string>;
  /** Replaces the OAuth endpoints in both discovery documents. */
  endpoints?(endpoints: OauthEndpoints, otherOrigin: string): OauthEndpoints;
  /** Replaces the smart-configuration; undefined means 404. */
  smartConfiguration?(document: Record<string, unknown>): Record<string, unknown> | undefined;
  /** Whether DSTU2 has a smart-configuration; the plain server has none. */
  smartConfigurationInDstu2?: boolean;
  capabilities?(document: Capabilities): Capabilities;
  /** Refuses the method of client authentication, before the code or the refresh token is looked at. */
  clientAuthentication?(exchange: { method: AuthenticationMethod; form: URLSearchParams }): Reply | undefined;
  /** Replaces the response of the token endpoint. */
  tokenRequest?(exchange: TokenExchange): Reply | undefined;
  /** Changes a successful token response. */
  tokenResponse?(response: Record<string, unknown>, grant: GrantClaims): Record<string, unknown>;
  /** Replaces the response, before the request is processed. */
  before?(exchange: FhirExchange): Reply | undefined;
  /** Replaces the record of the person. */
  record?(record: PatientRecord, release: Release): PatientRecord;
  /** Changes a page; `record` is the record of the person, if there is one. */
  page?(page: SearchPage, exchange: FhirExchange, record?: PatientRecord): SearchPage;
  /** Changes a successful response. */
  reply?(reply: Reply, exchange: FhirExchange): Reply;
}

/** A scenario without the name and the area that the table of its area gives it. */
export type Behaviour = Omit<Scenario, 'name' | 'area'>;

/** One of the functions of a scenario. */
export type Hook<Name extends keyof Scenario> = NonNullable<Scenario[Name]>;

/** The scenarios of an area, by name. */
export function scenariosOf(area: string, behaviours: Record<string, Behaviour>): Scenario[] {
  return Object.entries(behaviours).map(([name, behaviour]) => ({ name, area, ...behaviour }));
}

/** What happens before anybody has signed in. */
const beforeSignIn = [
  'authorizationRequest',
  'endpoints',
  'smartConfiguration',
  'smartConfigurationInDstu2',
] as const satisfies (keyof Scenario)[];

/** Whether a scenario has its effect when it is chosen at the sign-in, and not by the path only. */
export function worksFromSignIn(scenario: Scenario): boolean {
  return beforeSignIn.every((member) => scenario[member] === undefined);
}
