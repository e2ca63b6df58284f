import { type ErrorCode, issueTypeOfStatus } from '@tributary/contracts';

/**
 * The largest body of a request in bytes: that of the largest FHIR request, 20 MB, and room for multipart and
 * encodings.
 */
export const maxBodyBytes = 26_214_400;

/** The same for the content of a Binary, which fhir-store uploads to an object storage: 200 MB, and room. */
export const maxBinaryBytes = 209_715_200;

/**
 * Headers of every response that the gateway makes itself; the services send their own. Pages of other origins may read
 * these responses, which contain no data: an app in a browser has to know that it may try again.
 */
export const headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Retry-After, X-Request-Id',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

export const liveBody = { status: 'live' };

/** The body of a 404. */
export function notFoundBody(hint?: string): object {
  const error = `there is nothing at this address${hint === undefined ? '' : `; ${hint}`}`;
  return { success: false, error, error_code: 'not_found' satisfies ErrorCode };
}

/** A failure that the gateway reports. */
interface Failure {
  error_code: ErrorCode;
  message: string;
  /** Seconds. */
  retryAfter?: number;
}

const unknownOutcome =
  'its outcome is unknown. Read before you repeat it, or repeat it in a form that has no effect twice (If-None-Exist, If-Match)';

/** The failures by the status of their response. */
export const failures = {
  413: { error_code: 'too_large', message: 'the body is too large' },
  /** No replica was reached, so that the request was not processed; or it can be repeated. */
  503: {
    error_code: 'temporarily_unavailable',
    message: 'a part of the service is not available; try again shortly',
    retryAfter: 2,
  },
  /** The connection broke after the request was sent. */
  502: {
    error_code: 'outcome_unknown',
    message: `the connection broke after the request was sent: ${unknownOutcome}`,
  },
  /** The service sent no response in time. */
  504: {
    error_code: 'gateway_timeout',
    message: `a part of the service did not respond to the request in time: ${unknownOutcome}`,
  },
} as const satisfies Record<number, Failure>;
export type FailureStatus = keyof typeof failures;

export const jsonType = 'application/json; charset=utf-8';
const fhirType = 'application/fhir+json; charset=utf-8';

/** Content type and body of the response to a failure. */
export function failureContent(
  status: FailureStatus,
  format: 'fhir' | 'json',
): { contentType: string; body: object; retryAfter: number | undefined } {
  const { error_code, message, retryAfter }: Failure = failures[status];
  if (format === 'json')
    return { contentType: jsonType, body: { success: false, error: message, error_code }, retryAfter };
  const issue = [{ severity: 'fatal', code: issueTypeOfStatus(status), diagnostics: message }];
  return { contentType: fhirType, body: { resourceType: 'OperationOutcome', issue }, retryAfter };
}
