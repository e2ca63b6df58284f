/** There is no object with this key. */
export class ObjectMissingError extends Error {
  override readonly name = 'ObjectMissingError';

  constructor() {
    super('the object storage does not have the object');
  }
}

/**
 * The object storage does not respond, or refuses a request. The error has neither the key of an object nor the error
 * of the SDK, whose message may contain keys and identifiers of credentials.
 */
export class ObjectStorageError extends Error {
  override readonly name = 'ObjectStorageError';
  /** service-kit responds with 503 to an outage. */
  readonly code: 'OBJECT_STORAGE_UNAVAILABLE' | 'OBJECT_STORAGE_FAILED';

  /**
   * @param reason the error code of S3 or of Node.js, or the name of the error
   * @param status the HTTP status; undefined without a response
   */
  constructor(
    readonly reason: string,
    readonly status?: number,
  ) {
    super(`the object storage cannot be used: ${reason}${status === undefined ? '' : ` (${status})`}`);
    this.code = isOutage(status) ? 'OBJECT_STORAGE_UNAVAILABLE' : 'OBJECT_STORAGE_FAILED';
  }

  /** Whether the same request may succeed later. */
  get isOutage(): boolean {
    return this.code === 'OBJECT_STORAGE_UNAVAILABLE';
  }
}

/** No response, overload, a failure of the server, or credentials that are refused, as while they are replaced. */
function isOutage(status: number | undefined): boolean {
  return status === undefined || status >= 500 || [401, 403, 408, 429].includes(status);
}

const maxReasonLength = 60;

/** The error of this package for one of the SDK, of Node.js, or of this package. */
export function storageError(error: unknown): ObjectMissingError | ObjectStorageError {
  if (error instanceof ObjectMissingError || error instanceof ObjectStorageError) return error;
  const { name, code, $metadata } = (error ?? {}) as {
    name?: unknown;
    code?: unknown;
    $metadata?: { httpStatusCode?: number };
  };
  if (name === 'NoSuchKey') return new ObjectMissingError();
  const known = [code, name].find((word) => typeof word === 'string' && /^\w+$/.test(word));
  return new ObjectStorageError(
    typeof known === 'string' ? known.slice(0, maxReasonLength) : 'unknown',
    $metadata?.httpStatusCode,
  );
}
