import type { ZodType } from 'zod';
import { exampleOf } from './examples';
import { type ResponseHeader, rateLimitHeaders } from './headers';
import type { Schemas } from './schemas';
import type { AnyRoute, RouteResponse } from '../api/route';

/** The body of the errors of an API. */
export interface ErrorBody {
  schema: ZodType;
  /** `application/json` by default. */
  contentType?: string;
}

/** The responses of an operation: those of the route, and those that every route of its kind can have. */
export function responsesOf(route: AnyRoute, errorBody: ErrorBody | undefined, schemas: Schemas): object {
  const all: Record<string, RouteResponse> = { ...commonResponses(route), ...route.responses };
  const limited: readonly ResponseHeader[] = route.limits?.length ? rateLimitHeaders : [];
  return Object.fromEntries(
    Object.entries(all).map(([status, response]) => {
      const isError = /^[45]/.test(status);
      const headers: ResponseHeader[] = [
        'X-Request-Id',
        ...(response.headers ?? []),
        ...(status === '401' && route.authentication.scheme !== 'client' ? (['WWW-Authenticate'] as const) : []),
        ...(status === '429' || status === '503' ? (['Retry-After'] as const) : []),
        // The limit counts after the authentication.
        ...(status === '401' ? [] : limited),
      ];
      const content = {
        ...contentOf(response, isError ? errorBody : undefined, schemas),
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

function contentOf(response: RouteResponse, errorBody: ErrorBody | undefined, schemas: Schemas): object {
  const body = response.schema === undefined ? errorBody : response;
  if (!body?.schema) return {};
  const schema = schemas.of(body.schema, 'output');
  const example = response.example ?? exampleOf(schema, schemas);
  return { [body.contentType ?? 'application/json']: { schema, example } };
}

/** What middleware responds, whatever the route does. */
function commonResponses(route: AnyRoute): Record<string, RouteResponse> {
  const hasInput = [route.params, route.query, route.headers, route.body].some((schema) => schema !== undefined);
  const own = Object.keys(route.responses);
  const common: Record<string, RouteResponse> = {
    ...(hasInput ? { 400: { description: 'The input is malformed.' } } : {}),
    ...(route.authentication.scheme === 'none'
      ? {}
      : { 401: { description: 'The credentials are missing or wrong.' } }),
    ...(route.body === undefined
      ? {}
      : {
          413: { description: 'The body is too large.' },
          415: { description: 'The media type or the encoding of the body is not supported.' },
        }),
    ...(route.limits?.length
      ? { 429: { description: 'Too many requests of the client; `Retry-After` says when to try again.' } }
      : {}),
    503: { description: 'A part of the service is not available; the request can be repeated.' },
  };
  return own.some((status) => status.startsWith('4')) || Object.keys(common).some((status) => status.startsWith('4'))
    ? common
    : { '4XX': { description: 'The request is malformed.' }, ...common };
}
