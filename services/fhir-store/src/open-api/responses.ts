import { exampleOutcome } from '@tributary/contracts';
import { responseHeaders } from '@tributary/service-kit';

/** The media types of resources: `application/json+fhir` is that of DSTU2, `application/fhir+json` of the others. */
const mediaTypes = ['application/fhir+json', 'application/json+fhir', 'application/json'];

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
  TooLarge: [
    413,
    'The body is larger than 20 MB, or the content of a Binary in its own media type larger than 15 MB, or 200 MB with an object storage.',
  ],
  UnsupportedMediaType: [415, 'The media type or the encoding of the body is not supported.'],
  Unprocessable: [422, 'The resource is not valid; `issue` says where.'],
  TooManyRequests: [429, 'Too many requests of the user or the client; try again after `Retry-After`.'],
  OutcomeUnknown: [502, 'A part of the service failed; it is not known whether the request was carried out.'],
  Unavailable: [503, 'A part of the service is not available; try again after `Retry-After`.'],
} as const satisfies Record<string, readonly [number, string]>;

type ErrorResponse = keyof typeof errors;

/** The headers that responses refer to. */
const headers = [
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
] as const;
type Header = (typeof headers)[number];
export const headerComponents = Object.fromEntries(headers.map((name) => [name, responseHeaders[name]]));
const limitHeaders = ['RateLimit-Policy', 'RateLimit'] as const;

const headersOf: Partial<Record<ErrorResponse, readonly Header[]>> = {
  Forbidden: ['WWW-Authenticate'],
  Gone: ['ETag'],
  UnsupportedMediaType: ['Accept-Patch'],
  TooManyRequests: ['Retry-After'],
  Unavailable: ['Retry-After'],
};

/** The error responses as components. One without a valid token comes before the limits have counted the request. */
export const errorComponents = Object.fromEntries(
  (Object.keys(errors) as ErrorResponse[]).map((name) => {
    const [status, description] = errors[name];
    const own =
      name === 'Unauthorized' ? (['WWW-Authenticate'] as const) : [...(headersOf[name] ?? []), ...limitHeaders];
    return [
      name,
      { description, headers: headerRefs(own), content: contentOf('OperationOutcome', exampleOutcome(status)) },
    ];
  }),
);

/** References to error responses, by status. Every operation with a token can have the others. */
export function errorResponses(...names: ErrorResponse[]): Record<string, object> {
  const all = [
    ...(['BadRequest', 'Unauthorized', 'NotAcceptable', 'TooManyRequests', 'Unavailable'] as const),
    ...names,
  ];
  return Object.fromEntries(all.map((name) => [errors[name][0], { $ref: `#/components/responses/${name}` }]));
}

/** A response with a resource. */
export function resourceResponse(description: string, schema = 'Resource', names: readonly Header[] = []): object {
  return { ...emptyResponse(description, names), content: contentOf(schema) };
}

/** A response without a body. */
export function emptyResponse(description: string, names: readonly Header[] = []): object {
  return { description, headers: headerRefs([...names, ...limitHeaders]) };
}

/** A body with a resource. */
export function bodyOf(schema: string, example?: object): { required: boolean; content: Record<string, object> } {
  return { required: true, content: contentOf(schema, example) };
}

/** The body of a search by POST. */
export const formBody = {
  required: false,
  content: {
    'application/x-www-form-urlencoded': {
      schema: { type: 'object', description: 'The parameters of the search by GET.', additionalProperties: true },
      example: { _count: 20 },
    },
  },
};

/** A JSON Patch, or a FHIRPath Patch. */
export const patchBody = {
  required: true,
  content: {
    'application/json-patch+json': {
      schema: { $ref: '#/components/schemas/JsonPatch' },
      example: [{ op: 'add', path: '/language', value: 'en' }],
    },
    'application/fhir+json': { schema: { $ref: '#/components/schemas/Parameters' } },
  },
};

/** A body or a response whose content can also be that of a file in its own media type. */
export function fileContent<T extends { content?: object }>(message: T): T {
  const schema = { type: 'string', description: 'The content of the file.' };
  const file = { 'text/plain': { schema, example: 'Discharged.' }, '*/*': { schema } };
  return { ...message, content: { ...message.content, ...file } };
}

function contentOf(schema: string, example?: object): Record<string, object> {
  const media = { schema: { $ref: `#/components/schemas/${schema}` }, ...(example ? { example } : {}) };
  return Object.fromEntries(mediaTypes.map((type) => [type, media]));
}

function headerRefs(names: readonly Header[]): object {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
