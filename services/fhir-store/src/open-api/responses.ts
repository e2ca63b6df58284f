import { exampleOutcome, fhirJsonMediaType } from '@tributary/contracts';
import { type Release } from '@tributary/fhir-definitions';
import { responseHeaders } from '@tributary/service-kit';

const outcome = { $ref: '#/components/schemas/OperationOutcome' };

/** The error responses, by the name of their component. */
const errors = {
  BadRequest: [400, 'The request is malformed.'],
  Unauthorized: [401, 'The access token is missing or not valid.'],
  Forbidden: [403, 'The scope of the access token only reads.'],
  NotFound: [404, 'The record has no such resource or version, or the address does not exist.'],
  IdNotAllowed: [405, 'The id that the client chose for a new resource is not a UUID.'],
  NotAcceptable: [406, 'The requested media type or release is not available, or the resource cannot be converted.'],
  Conflict: [409, 'The id cannot be used for a new resource.'],
  Gone: [410, 'The resource is deleted, or the paging link is no longer valid.'],
  PreconditionFailed: [412, 'The condition of the request does not hold: another version, or several matches.'],
  TooLarge: [413, 'The body is larger than 20 MB, or the content of a Binary in its own media type larger than 15 MB.'],
  UnsupportedMediaType: [415, 'The media type or the encoding of the body is not supported.'],
  Unprocessable: [422, 'The resource is not valid; `issue` says where.'],
  TooManyRequests: [429, 'Too many requests of the user or the client; try again after `Retry-After`.'],
  OutcomeUnknown: [502, 'A part of the service failed; it is not known whether the request was carried out.'],
  Unavailable: [503, 'A part of the service is not available; try again after `Retry-After`.'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorResponse = keyof typeof errors;

const headersOf: Partial<Record<ErrorResponse, readonly string[]>> = {
  Unauthorized: ['WWW-Authenticate'],
  Forbidden: ['WWW-Authenticate'],
  Gone: ['ETag'],
  UnsupportedMediaType: ['Accept-Patch'],
  TooManyRequests: ['Retry-After'],
  Unavailable: ['Retry-After'],
};
/** Responses before the limits have counted the request. */
const uncounted: readonly ErrorResponse[] = ['Unauthorized'];

/** The headers that responses refer to. */
export const headerComponents = Object.fromEntries(
  (
    [
      'X-Request-Id',
      'ETag',
      'Last-Modified',
      'Location',
      'WWW-Authenticate',
      'Retry-After',
      'Accept-Patch',
      'Content-Disposition',
      'Content-Range',
      'X-Security-Context',
      'RateLimit-Policy',
      'RateLimit',
    ] as const
  ).map((name) => [name, responseHeaders[name]]),
);

/** References to the headers of a response that the rate limits have counted. */
export function headerRefs(names: readonly string[]): object {
  return uncountedHeaderRefs([...names, 'RateLimit-Policy', 'RateLimit']);
}

function uncountedHeaderRefs(names: readonly string[]): object {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The media types of resources, that of the release first. */
export function mediaTypes(release: Release): string[] {
  return [...new Set([fhirJsonMediaType[release], 'application/fhir+json', 'application/json'])];
}

/** The same content in each media type of a release. */
export function contentOf(release: Release, media: object): Record<string, object> {
  return Object.fromEntries(mediaTypes(release).map((type) => [type, media]));
}

/** The error responses as components. */
export function errorComponents(release: Release): Record<string, object> {
  return Object.fromEntries(
    (Object.keys(errors) as ErrorResponse[]).map((name) => [
      name,
      {
        description: errors[name][1],
        headers: (uncounted.includes(name) ? uncountedHeaderRefs : headerRefs)(headersOf[name] ?? []),
        content: { [fhirJsonMediaType[release]]: { schema: outcome, example: exampleOutcome(errors[name][0]) } },
      },
    ]),
  );
}

/** References to error responses, by status. Every operation with a token can have the others. */
export function errorResponses(...names: ErrorResponse[]): Record<string, object> {
  const all: ErrorResponse[] = [
    'BadRequest',
    'Unauthorized',
    'NotAcceptable',
    ...names,
    'TooManyRequests',
    'Unavailable',
  ];
  return Object.fromEntries(all.map((name) => [errors[name][0], { $ref: `#/components/responses/${name}` }]));
}

/** A response with a resource. */
export function resourceResponse(
  release: Release,
  { description, schema, examples, headers: names = [] }: ResourceResponse,
): object {
  return {
    description,
    headers: headerRefs(names),
    content: contentOf(release, {
      schema: { $ref: `#/components/schemas/${schema}` },
      ...(examples ? { examples } : {}),
    }),
  };
}

interface ResourceResponse {
  description: string;
  /** The name of a schema component. */
  schema: string;
  examples?: object;
  headers?: readonly string[];
}

/** A response without a body. */
export function emptyResponse(description: string, names: readonly string[] = []): object {
  return { description, headers: headerRefs(names) };
}
