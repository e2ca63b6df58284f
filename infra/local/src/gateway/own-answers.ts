import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** What every answer of the gateway itself carries; those of the services bring their own. */
function ownHeaders(response: ServerResponse): Record<string, string> {
  const asked = response.req.headers['x-request-id'];
  return {
    'X-Request-Id':
      typeof asked === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(asked) ? asked : randomUUID(),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}

export function sendLive(response: ServerResponse): void {
  sendJson(response, 200, { status: 'live' });
}

export function sendNotFound(response: ServerResponse): void {
  sendJson(response, 404, { success: false, error: 'there is nothing at this address', error_code: 'not_found' });
}

/** No replica could be reached, so the request was not processed, or repeating it does no harm; below a FHIR base that is said as FHIR says it. */
export function sendUnavailable(response: ServerResponse, isFhir: boolean): void {
  sendFailure(
    response,
    isFhir,
    {
      status: 503,
      error_code: 'temporarily_unavailable',
      issueCode: 'transient',
      sentence: 'a part of the service is not available; try again shortly',
    },
    { 'Retry-After': '2' },
  );
}

/** The request was sent to a service whose answer is missing: 502 when the connection broke, 504 when it gave no answer in time. */
export function sendOutcomeUnknown(response: ServerResponse, isFhir: boolean, status: 502 | 504): void {
  const sentence =
    'the service gave no answer, and may have processed the request: its outcome is unknown. Look before sending it again, or send it in a form that has no effect twice (If-None-Exist, If-Match)';
  sendFailure(response, isFhir, {
    status,
    error_code: 'outcome_unknown',
    issueCode: status === 504 ? 'timeout' : 'exception',
    sentence,
  });
}

interface Failure {
  status: number;
  error_code: string;
  issueCode: string;
  sentence: string;
}

function sendFailure(
  response: ServerResponse,
  isFhir: boolean,
  { status, error_code, issueCode, sentence }: Failure,
  headers: Record<string, string> = {},
): void {
  if (response.destroyed) return;
  if (response.headersSent) return void response.destroy();
  const outcome = {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'fatal', code: issueCode, diagnostics: sentence }],
  };
  if (isFhir)
    sendJson(response, status, outcome, { ...headers, 'Content-Type': 'application/fhir+json; charset=utf-8' });
  else sendJson(response, status, { success: false, error: sentence, error_code }, headers);
}

export function sendPage(response: ServerResponse, status: number, page: string): void {
  response
    .writeHead(status, {
      ...ownHeaders(response),
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    })
    .end(page);
}

function sendJson(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response
    .writeHead(status, { ...ownHeaders(response), 'Content-Type': 'application/json; charset=utf-8', ...headers })
    .end(JSON.stringify(body));
}
