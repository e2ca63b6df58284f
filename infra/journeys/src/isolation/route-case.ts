import type { Party, Scheme } from './parties';

/** Identifiers of something that belongs to the owner, by the names of the parameters that carry them. */
export type Identifiers = Readonly<Record<string, string | number>>;

/** A request without its credentials. */
export interface Call {
  /** The values of the parameters of the path. */
  path?: Record<string, string | number>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  json?: object;
}

/** Who sends a request. */
export interface Sender {
  party: Party;
  scheme: Scheme;
  isOwner: boolean;
}

/** Something of the owner that a route does not serve, or not any more, and the status that the owner gets. */
export interface FormerIdentifiers {
  make: (owner: Party) => Promise<Identifiers>;
  /** By default the whole response is that to unknown identifiers. */
  status?: number;
}

/** How an operation is called with the identifiers of an owner. */
export interface RouteCase {
  operationId: string;
  /** Distinguishes several cases of an operation. */
  about?: string;
  /** By default every security scheme of the operation in its document. */
  schemes?: readonly Scheme[];
  /** Makes something of the owner that the request names. Without it the request names nothing. */
  make?: (owner: Party, scheme: Scheme) => Promise<Identifiers>;
  request: (identifiers: Identifiers, sender: Sender) => Call;
  /** The status that the owner gets. By default 200. */
  succeeds?: number;
  /** The status that others get, with the response to unknown identifiers. By default 404. */
  refuses?: number;
  /** The response contains new values of the caller, so that only its status is compared. */
  isNew?: true;
  /** The response to others may differ from that to unknown identifiers, for this reason. */
  differs?: string;
  /** The status without credentials, where it is not 401. */
  withoutCredentials?: number;
  /** Identifiers of something that is deleted. */
  deleted?: FormerIdentifiers;
  /** Identifiers of a user who is deactivated. */
  deactivated?: FormerIdentifiers;
  /** Identifiers of something that has expired. */
  expired?: FormerIdentifiers;
  /** Identifiers of something of another FHIR release. */
  otherRelease?: FormerIdentifiers;
}
