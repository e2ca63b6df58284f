import type { ServerResponse } from 'node:http';
import { requestIdOf } from '@tributary/contracts';
import { type FailureStatus, failureContent, headers, jsonType, liveBody, notFoundBody } from '@tributary/gateway';

export function sendLive(response: ServerResponse): void {
  send(response, 200, jsonType, JSON.stringify(liveBody));
}

export function sendNotFound(response: ServerResponse, hint?: string): void {
  send(response, 404, jsonType, JSON.stringify(notFoundBody(hint)));
}

/** Reports a failure of the gateway; a response that has begun is cut off instead. */
export function sendFailure(response: ServerResponse, status: FailureStatus, format: 'fhir' | 'json'): void {
  if (response.destroyed) return;
  if (response.headersSent) return void response.destroy();
  const { contentType, body, retryAfter } = failureContent(status, format);
  send(
    response,
    status,
    contentType,
    JSON.stringify(body),
    retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
  );
}

export function sendPage(response: ServerResponse, status: number, page: string): void {
  send(response, status, 'text/html; charset=utf-8', page, {
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  });
}

const { 'Strict-Transport-Security': _notForLocalhost, ...ownHeaders } = headers;

function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  more: Record<string, string> = {},
): void {
  const requestId = requestIdOf(response.req.headers['x-request-id']);
  response
    .writeHead(status, { ...ownHeaders, 'X-Request-Id': requestId, 'Content-Type': contentType, ...more })
    .end(body);
}
