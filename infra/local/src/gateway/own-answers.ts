import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** What every answer of the gateway itself carries; those of the services bring their own. */
function ownHeaders(response: ServerResponse): Record<string, string> {
  const asked = response.req.headers['x-request-id'];
  return {
    'X-Request-Id': typeof asked === 'string' && /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/.test(asked) ? asked : randomUUID(),
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

/** The service behind an address does not answer; below a FHIR base that is said as FHIR says it. */
export function sendUnavailable(response: ServerResponse, isFhir: boolean): void {
  const sentence = 'a part of the service is not available; try again shortly';
  const retry = { 'Retry-After': '2' };
  if (isFhir) sendJson(response, 503, { resourceType: 'OperationOutcome', issue: [{ severity: 'fatal', code: 'transient', diagnostics: sentence }] }, { ...retry, 'Content-Type': 'application/fhir+json; charset=utf-8' });
  else sendJson(response, 503, { success: false, error: sentence, error_code: 'temporarily_unavailable' }, retry);
}

export function sendPage(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, { ...ownHeaders(response), 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'" }).end(page);
}

function sendJson(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...ownHeaders(response), 'Content-Type': 'application/json; charset=utf-8', ...headers }).end(JSON.stringify(body));
}
