import type { ErrorCode } from '../api-types.ts';

/** An OperationOutcome, which FHIR and the bulk export return as an error. */
export interface OperationOutcome {
  resourceType: 'OperationOutcome';
  issue: {
    severity: 'fatal' | 'error' | 'warning' | 'information' | 'success';
    code: string;
    details?: { text?: string };
    diagnostics?: string;
    expression?: string[];
    location?: string[];
  }[];
}

/**
 * The base class of all errors of this package, other than the reason of an aborted signal and TypeErrors of wrong
 * arguments.
 */
export class TributaryError extends Error {
  override name = 'TributaryError';
}

/** The request got no response. */
export class NetworkError extends TributaryError {
  override name = 'NetworkError';
}

/** The response did not arrive in time, or stalled. */
export class TimeoutError extends TributaryError {
  override name = 'TimeoutError';
}

/** A file of an export ended early, or has another number of lines than its manifest says. */
export class IncompleteDownloadError extends TributaryError {
  override name = 'IncompleteDownloadError';
}

export interface ApiErrorDetails {
  method: string;
  /** Without its query, which can contain clinical values. */
  path: string;
  status: number;
  code: ErrorCode | (string & {});
  requestId: string | undefined;
  retryAfterMs: number | undefined;
  outcome: OperationOutcome | undefined;
}

/** The service responded with an error. */
export class ApiError extends TributaryError implements ApiErrorDetails {
  override name = 'ApiError';
  readonly method: string;
  readonly path: string;
  /** The HTTP status. */
  readonly status: number;
  /** `error_code`, the `error` of OAuth, or the code of the first issue of an OperationOutcome. */
  readonly code: ErrorCode | (string & {});
  /** `X-Request-Id`, which finds the request in the log of the service. */
  readonly requestId: string | undefined;
  /** `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Of FHIR and of the bulk export. */
  readonly outcome: OperationOutcome | undefined;

  constructor(message: string, details: ApiErrorDetails) {
    super(message);
    this.method = details.method;
    this.path = details.path;
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.outcome = details.outcome;
  }
}

/** The error of a response whose status is not a success. */
export async function readApiError(method: string, url: string, response: Response): Promise<ApiError> {
  const body = await response.json().catch(() => undefined);
  const { code, message, outcome } = readBody(body);
  const path = new URL(url).pathname;
  const { status } = response;
  return new ApiError(`${method} ${addressOf(url)}: ${status}${message === undefined ? '' : ` ${message}`}`, {
    method,
    path,
    status,
    code: code ?? `http_${status}`,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfterMs: readRetryAfter(response.headers.get('retry-after')),
    outcome,
  });
}

/** A URL in a message: with its origin, of which there are four, and without its query, which can contain secrets. */
export function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

interface ErrorBody {
  code?: string | undefined;
  message?: string | undefined;
  outcome?: OperationOutcome;
}

/** The three formats of errors: OperationOutcome, `error_code`, and RFC 6749, section 5.2. */
function readBody(body: unknown): ErrorBody {
  if (typeof body !== 'object' || body === null) return {};
  if (isOperationOutcome(body)) {
    const issue = body.issue[0];
    return { code: issue?.code, message: issue?.diagnostics ?? issue?.details?.text, outcome: body };
  }
  const { error, error_code, error_description } = body as Record<string, unknown>;
  const code = text(error_code) ?? text(error);
  return { code, message: text(error_description) ?? text(error) };
}

function isOperationOutcome(body: object): body is OperationOutcome {
  return (
    'resourceType' in body && body.resourceType === 'OperationOutcome' && 'issue' in body && Array.isArray(body.issue)
  );
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Seconds, or an HTTP date (RFC 9110, section 10.2.3), as milliseconds from now. */
export function readRetryAfter(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
