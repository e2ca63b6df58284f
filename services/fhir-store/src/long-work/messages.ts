import type { FhirError } from '../fhir-http/fhir-error';
import type { FhirRequest } from '../fhir-http/fhir-request';
import type { Access, FhirResponse, NativeBody } from '../fhir-http/fhir-response';

/** A request of an authenticated user, as far as its route needs it. */
export interface ThreadRequest extends Pick<
  FhirRequest,
  | 'release'
  | 'responseRelease'
  | 'headers'
  | 'contentType'
  | 'fullContentType'
  | 'contentLimits'
  | 'mayWrite'
  | 'native'
> {
  readonly method: string;
  readonly hasBody: boolean;
  /** The path below the release, with types of the release. */
  readonly segments: readonly string[];
  readonly search: string;
  readonly content: Uint8Array;
  readonly serviceUserId: number;
  readonly clientId: string;
  /** Whether the request changes nothing. */
  readonly isSafe: boolean;
  /** For the log. */
  readonly requestId: string;
}

/** A response, with the whole content of a Binary. */
export interface ThreadResponse extends Omit<FhirResponse, 'body' | 'native'> {
  readonly body?: Uint8Array | string | undefined;
  readonly native?: Omit<NativeBody, 'length' | 'bytes'> & { readonly content: Uint8Array };
}

/** The fields of a FhirError. */
export interface ThreadFailure extends Pick<FhirError, 'status' | 'issues' | 'headers'> {
  /** Of a Bundle of which some entries were written. */
  readonly partial?: Access;
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
