import type { Release } from '@tributary/fhir-definitions';
import type { JsonValue } from '@tributary/fhir-json';
import type { ReadBudget, RecordReader, UserRecord } from '@tributary/record-storage';
import type { FhirError } from './fhir-error';
import type { ContentLimits } from './limits';
import type { PageTokens } from './page-tokens';

/** The headers that interactions use. An entry of a Bundle has them too (Bundle.entry.request). */
export interface FhirRequestHeaders {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
  readonly ifModifiedSince?: string | undefined;
  readonly ifNoneExist?: string | undefined;
  readonly prefer?: string | undefined;
  readonly securityContext?: string | undefined;
}

/**
 * The request of one interaction with one record. Within a transaction, `record` is the record as the transaction sees
 * it.
 */
export interface FhirRequest<Record extends RecordReader = UserRecord> {
  readonly release: Release;
  /** The release of the resources in the response: that of the URL, or r4, to which they are converted. */
  readonly responseRelease: Release;
  /** The base URL of the release, such as https://host/r4. */
  readonly base: string;
  /** The issuer of the access tokens. */
  readonly authUrl: string;
  readonly record: Record;
  /** Whether the scope of the user's token allows changes. */
  readonly mayWrite: boolean;
  readonly pages: PageTokens;
  readonly contentLimits: ContentLimits;
  readonly headers: FhirRequestHeaders;
  readonly query: URLSearchParams;
  /** The body as JSON. @throws FhirError 400 or 415 */
  body(): Promise<JsonValue>;
  /** The body as text, of whatever media type. @throws FhirError 400 or 413 */
  text(): Promise<string>;
  /** The body as it came. @throws FhirError 413 or 415 */
  bytes(): Promise<Buffer>;
  /**
   * The body as it came, or the base64Binary that stands for it in the object storage, when it is large. Absent when
   * the body cannot be uploaded while it is read.
   * @throws FhirError 413, ObjectStorageError
   */
  readonly uploaded?: (() => Promise<Buffer | string>) | undefined;
  /** The media type of the body, without parameters. */
  readonly contentType: string | undefined;
  /** The media type of the body, with its parameters. */
  readonly fullContentType: string | undefined;
  /**
   * Counts the entries of a Bundle as requests of the user. Absent in an entry.
   * @param routes the names of their routes
   * @throws HttpError 429
   */
  readonly countEntries?: (routes: readonly string[]) => Promise<void>;
  /** How much stored JSON the request may parse beside what its criteria need; absent when there is no limit. */
  readonly parsing?: ReadBudget | undefined;
  /** What the client accepts in place of FHIR JSON. Absent in a Bundle, whose entries are always FHIR JSON. */
  readonly native?: NativePreference | undefined;
}

/** The preference of a client for the native media type of a Binary. */
export interface NativePreference {
  /** `_format` or the header Accept. */
  readonly accept: string | undefined;
  /** The error when the client does not accept FHIR JSON. */
  readonly refusal?: Pick<FhirError, 'status' | 'message'>;
}

/** The request of an interaction that only reads. */
export type ReadRequest = FhirRequest<RecordReader>;

/** Whether the resources of the response are converted to R4. */
export function isConvertedToR4({
  release,
  responseRelease,
}: Pick<FhirRequest, 'release' | 'responseRelease'>): boolean {
  return responseRelease !== release;
}
