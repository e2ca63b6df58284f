import type { AuditEntity } from '@tributary/audit-log';
import type { Release } from '@tributary/fhir-definitions';
import { FhirError, type OutcomeIssue } from '../fhir-http/fhir-error';
import type { FhirRequestHeaders } from '../fhir-http/fhir-request';
import type { ContentLimits } from '../fhir-http/limits';

/** A request of an authenticated user, as far as its route needs it. */
export interface ThreadRequest {
  readonly method: string;
  readonly hasBody: boolean;
  readonly release: Release;
  readonly responseRelease: Release;
  /** The path below the release, with types of the release. */
  readonly segments: readonly string[];
  readonly query: string;
  readonly headers: FhirRequestHeaders;
  readonly contentType: string | undefined;
  readonly fullContentType: string | undefined;
  readonly bytes: Uint8Array;
  readonly serviceUserId: number;
  readonly clientId: string;
  /** Whether the scope of the user's token allows changes. */
  readonly mayWrite: boolean;
  readonly contentLimits: ContentLimits;
  readonly native: ThreadNativePreference | undefined;
  /** Whether the request changes nothing. */
  readonly isSafe: boolean;
  /** For the log. */
  readonly requestId: string;
}

/** A FhirResponse. */
export interface ThreadResponse {
  readonly status: number;
  readonly body: Uint8Array | string | undefined;
  readonly native: ThreadNative | undefined;
  readonly version: number | undefined;
  readonly lastUpdated: number | undefined;
  readonly location: string | undefined;
  readonly access: ThreadAccess | undefined;
}

/** A NativePreference. */
export interface ThreadNativePreference {
  readonly accept: string | undefined;
  readonly refusal: ThreadFailure | undefined;
}

/** A NativeContent. */
export interface ThreadNative {
  readonly id: string;
  readonly contentType: string | undefined;
  readonly securityContext: string | undefined;
  readonly content: Uint8Array;
}

/** An Access, whose entities are listed. */
export interface ThreadAccess {
  readonly counts: ReadonlyMap<string, number> | undefined;
  readonly parameters: readonly string[] | undefined;
  readonly entities: readonly AuditEntity[] | undefined;
}

/** The fields of a FhirError. */
export interface ThreadFailure {
  readonly status: number;
  readonly issues: readonly OutcomeIssue[];
  readonly headers: Readonly<Record<string, string>>;
  /** Of a Bundle of which some entries were written. */
  readonly partial?: ThreadAccess;
}

export function failureOf({ status, issues, headers }: FhirError): ThreadFailure {
  return { status, issues, headers };
}

export function errorOf({ status, issues, headers }: ThreadFailure): FhirError {
  return new FhirError(status, issues, undefined, headers);
}

/** The memory of bytes that share it with no others: it is moved to the other thread, and not copied. */
export function movable({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

/** A Buffer arrives in the other thread as a Uint8Array. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** To the thread. */
export type ToThread =
  | { readonly kind: 'run'; readonly id: number; readonly request: ThreadRequest }
  | { readonly kind: 'cancel'; readonly id: number }
  /** Whether the entries of a Bundle are within the limits of the user. */
  | { readonly kind: 'counted'; readonly id: number; readonly areAllowed: boolean }
  | { readonly kind: 'stop' };

/** From the thread. */
export type FromThread =
  /** Only from now on can it have carried out a request. */
  | { readonly kind: 'started' }
  | { readonly kind: 'count'; readonly id: number; readonly routes: readonly string[] }
  | { readonly kind: 'responded'; readonly id: number; readonly response: ThreadResponse }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: ThreadFailure };
