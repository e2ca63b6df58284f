import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Authentication } from './authentication';

/**
 * Cross-origin access (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol): pages of every origin may call what
 * takes a bearer token or is public. The origin is `*` and there are no credentials in the sense of Fetch: a token is
 * sent by the page itself, and cookies authenticate nothing. What takes a client secret is not for browsers and gets no
 * CORS headers.
 */

const exposedHeaders = [
  'ETag',
  'Location',
  'Content-Location',
  'Last-Modified',
  'Retry-After',
  'X-Progress',
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'WWW-Authenticate',
  'Link',
  'Content-Disposition',
  'Expires',
].join(', ');

/** The headers of every response that pages of other origins may read, errors included, as names and values in turn. */
export const crossOriginHeaders: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  exposedHeaders,
  'Cross-Origin-Resource-Policy',
  'cross-origin',
];

const usualRequestHeaders = [
  'Authorization',
  'Content-Type',
  'Accept',
  'Prefer',
  'If-Match',
  'If-None-Match',
  'If-Modified-Since',
  'If-None-Exist',
  'Range',
  'X-Request-Id',
];
/** The headers of client credentials. They never belong into a page. */
const secretHeaders = ['client_id', 'client_secret', 'x-service-user-id'];
/** Browsers ask again at the latest after this time, in seconds. Chromium limits it to two hours. */
const maxAgeSeconds = 7200;

const crossOriginSchemes: readonly Authentication<unknown>['scheme'][] = [
  'none',
  'bearer',
  'user-or-client',
  'bearer-or-client',
];

/** Whether pages of other origins may call a route with this authentication. */
export function isCrossOrigin({ scheme, crossOrigin }: Authentication<unknown>): boolean {
  return crossOrigin !== false && crossOriginSchemes.includes(scheme);
}

/** Whether a request contains headers of client credentials. Such a request does not come from a page. */
export function hasClientHeaders(headers: IncomingHttpHeaders): boolean {
  return secretHeaders.some((name) => headers[name] !== undefined);
}

/**
 * The headers of the response to a preflight request, as names and values in turn. Libraries add headers of their own,
 * so all requested ones are allowed but those of client credentials.
 * @param methods that pages of other origins may use
 */
export function preflightHeaders(methods: readonly string[], requestHeaders: IncomingHttpHeaders): string[] {
  const requested = requestHeaders['access-control-request-headers'];
  const names = typeof requested === 'string' ? requested.split(',').map((name) => name.trim()) : usualRequestHeaders;
  const allowed = names.filter((name) => /^[\w-]{1,64}$/.test(name) && !secretHeaders.includes(name.toLowerCase()));
  return [
    ...crossOriginHeaders,
    'Access-Control-Allow-Methods',
    methods.join(', '),
    'Access-Control-Allow-Headers',
    allowed.join(', '),
    'Access-Control-Max-Age',
    String(maxAgeSeconds),
    'Vary',
    'Access-Control-Request-Headers',
  ];
}

/**
 * Responds to OPTIONS with 204 and `Allow`, and to a preflight request of a page.
 * @param methods that the address supports
 * @param crossOrigin those that pages of other origins may use
 */
export function sendOptions(
  request: IncomingMessage,
  response: ServerResponse,
  methods: readonly string[],
  crossOrigin: readonly string[],
): void {
  response.setHeader('Allow', [...methods, 'OPTIONS'].join(', '));
  if (crossOrigin.length > 0) setHeaders(response, preflightHeaders(crossOrigin, request.headers));
  response.writeHead(204).end();
}

/** @param headers names and values in turn */
export function setHeaders(response: ServerResponse, headers: readonly string[]): void {
  for (let index = 0; index < headers.length; index += 2)
    response.setHeader(headers[index] ?? '', headers[index + 1] ?? '');
}
