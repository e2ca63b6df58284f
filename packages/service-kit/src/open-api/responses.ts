import { type ErrorCode, exampleMessage, statusOfError } from '@tributary/contracts';
import type { ZodType } from 'zod';
import { exampleOf } from './examples';
import type { ResponseHeader } from './headers';
import type { Schemas } from './schemas';
import { ignoresUnknown } from '../api/read-input';
import type { AnyRoute, RouteResponse } from '../api/route';

/** The body of the errors of an API. */
export interface ErrorBody {
  schema: ZodType;
  /** `application/json` by default. */
  contentType?: string;
  /** The body of an error, as responses have it. */
  body: (error: { errorCode: ErrorCode; message: string }) => object;
}

/** The responses of an operation: those of the route, and those that every route of its kind can have. */
export function responsesOf(route: AnyRoute, errorBody: ErrorBody | undefined, schemas: Schemas): object {
  const all: Record<string, RouteResponse> = { ...commonResponses(route), ...route.responses };
  return Object.fromEntries(
    Object.entries(all).map(([status, response]) => {
      const isError = /^[45]/.test(status);
      const headers: ResponseHeader[] = [
        'X-Request-Id',
        ...(response.headers ?? []),
        ...(status === '401' && !hasNoChallenge.has(route.authentication.scheme)
          ? (['WWW-Authenticate'] as const)
          : []),
        ...(status === '429' || status === '503' ? (['Retry-After'] as const) : []),
        ...limitHeaders(route, status),
      ];
      const content = {
        ...(isError && errorBody
          ? errorContent(errorBody, codesOf(status, response, route), schemas)
          : contentOf(response, schemas)),
        ...(isError && route.htmlErrors ? { 'text/html': { schema: { type: 'string' } } } : {}),
      };
      return [
        status,
        {
          description: response.description,
          headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
          ...(Object.keys(content).length > 0 ? { content } : {}),
        },
      ];
    }),
  );
}

/** The schemes whose 401 has no `WWW-Authenticate`: HTTP has no name for them. */
const hasNoChallenge: ReadonlySet<AnyRoute['authentication']['scheme']> = new Set(['client', 'session']);

/** A 401 has the headers of those limits only that run before the authentication. */
function limitHeaders({ limits = [] }: AnyRoute, status: string): Set<ResponseHeader> {
  return new Set(
    limits.filter(({ runs }) => status !== '401' || runs === 'before authentication').flatMap(({ headers }) => headers),
  );
}

function contentOf(
  { schema: body, contentType = 'application/json', example }: RouteResponse,
  schemas: Schemas,
): object {
  if (!body) return {};
  const schema = schemas.of(body, 'output');
  return { [contentType]: { schema, example: example ?? exampleOf(schema, schemas) } };
}

function errorContent(
  { schema, contentType = 'application/json', body }: ErrorBody,
  codes: readonly ErrorCode[],
  schemas: Schemas,
): object {
  const examples = codes.map((errorCode) => [
    errorCode,
    { value: body({ errorCode, message: exampleMessage(errorCode) }) },
  ]);
  return { [contentType]: { schema: schemas.of(schema, 'output'), examples: Object.fromEntries(examples) } };
}

/** The codes of middleware, by status. */
const commonCodes: ReadonlyMap<string, readonly ErrorCode[]> = new Map(
  Object.entries({
    400: ['invalid_request'],
    404: ['not_found'],
    413: ['too_large'],
    415: ['unsupported_media_type'],
    502: ['outcome_unknown'],
    503: ['temporarily_unavailable'],
    '4XX': ['invalid_request'],
  }),
);
const codesOfUnauthenticated: Record<AnyRoute['authentication']['scheme'], readonly ErrorCode[]> = {
  none: [],
  service: ['unknown_service'],
  session: ['not_signed_in'],
  bearer: ['missing_token', 'invalid_token'],
  client: ['invalid_client'],
  'oauth-client': ['invalid_client'],
  'user-or-client': ['missing_token', 'invalid_token', 'invalid_client'],
  'bearer-or-client': ['missing_token', 'invalid_token', 'invalid_client'],
};

/** Whether clients can authenticate by credentials, whose failures are limited. */
function takesClientCredentials({ authentication: { scheme } }: AnyRoute): boolean {
  return codesOfUnauthenticated[scheme].includes('invalid_client');
}

function codesOfLimits(route: AnyRoute): readonly ErrorCode[] {
  const isLimited = route.limits?.length || route.responses[429];
  return [
    ...(isLimited ? (['too_many_requests'] as const) : []),
    ...(takesClientCredentials(route) ? (['too_many_failed_credentials'] as const) : []),
  ];
}

/** @throws Error when the codes of an error response are unknown, or one has another status */
function codesOf(status: string, response: RouteResponse, route: AnyRoute): readonly ErrorCode[] {
  const ofRoute: Record<string, readonly ErrorCode[]> = {
    401: codesOfUnauthenticated[route.authentication.scheme],
    429: codesOfLimits(route),
  };
  const common = ofRoute[status] ?? commonCodes.get(status);
  const codes = response.codes ?? common ?? [];
  const isWrong = status !== '4XX' && codes.some((code) => String(statusOfError(code)) !== status);
  if (codes.length === 0 || isWrong)
    throw new Error(`the response ${status} of ${route.operationId} needs codes of the error catalogue`);
  return codes;
}

/** What middleware responds, whatever the route does. */
function commonResponses(route: AnyRoute): Record<string, RouteResponse> {
  const hasInput = [route.params, route.query, route.headers, route.body].some((schema) => schema !== undefined);
  // A route without input refuses parameters.
  const refusesInput = hasInput || !ignoresUnknown(route, undefined);
  const own = Object.keys(route.responses);
  const common: Record<string, RouteResponse> = {
    ...(refusesInput ? { 400: { description: 'The input is malformed.' } } : {}),
    ...(route.authentication.scheme === 'none'
      ? {}
      : { 401: { description: 'The credentials are missing or wrong.' } }),
    ...(route.body === undefined
      ? {}
      : {
          413: { description: 'The body is too large.' },
          415: { description: 'The media type or the encoding of the body is not supported.' },
        }),
    ...(route.limits?.length || takesClientCredentials(route)
      ? { 429: { description: 'Too many requests; `Retry-After` says when to try again.' } }
      : {}),
    ...(route.method === 'get'
      ? {}
      : { 502: { description: 'A part of the service failed; it is not known whether the request was carried out.' } }),
    503: { description: 'A part of the service is not available; the request can be repeated.' },
  };
  return own.some((status) => status.startsWith('4')) || Object.keys(common).some((status) => status.startsWith('4'))
    ? common
    : { '4XX': { description: 'The request is malformed.' }, ...common };
}
