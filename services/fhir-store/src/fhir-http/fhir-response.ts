/** The response of an interaction. The endpoint writes it to HTTP, a batch puts it into an entry. */
export interface FhirResponse {
  readonly status: number;
  /** A resource as JSON; undefined: no body. */
  readonly body?: Buffer | string | undefined;
  /** The version that the ETag names. */
  readonly version?: number | undefined;
  /** Epoch milliseconds. */
  readonly lastUpdated?: number | undefined;
  readonly location?: string | undefined;
}
