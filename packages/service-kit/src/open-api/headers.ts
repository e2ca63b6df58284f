import type { JsonSchema } from './schemas';

const text: JsonSchema = { type: 'string' };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const seconds: JsonSchema = { type: 'integer', minimum: 0, description: 'Seconds.' };

/**
 * The response headers that belong to the API, by name. Security headers and those of HTTP itself are not documented.
 */
export const responseHeaders = {
  'X-Request-Id': {
    description: 'Identifies the request in the log: the value of the request, or a new one.',
    schema: text,
  },
  'Retry-After': { description: 'When to try again.', schema: seconds },
  'WWW-Authenticate': { description: 'The authentication scheme, and why the credentials were refused.', schema: text },
  'RateLimit-Policy': {
    description:
      'The limits of the request by name, with their quota and window in seconds: `"fhir-user";q=6000;w=60`.',
    schema: text,
  },
  RateLimit: {
    description:
      'Of each limit, how many requests remain, and the seconds until all are available again: `"fhir-user";r=5990;t=1`.',
    schema: text,
  },
  'RateLimit-Limit': { description: 'Requests that the client may send in the window.', schema: count },
  'RateLimit-Remaining': { description: 'Requests that remain in the window.', schema: count },
  'RateLimit-Reset': { description: 'When requests are available again.', schema: seconds },
  'Accept-Patch': { description: 'The media types that a PATCH can have, in the response to one.', schema: text },
  Location: { description: 'Where the browser goes on, or the address of the stored version.', schema: text },
  'Content-Location': { description: 'The URL of the status of the export.', schema: text },
  'X-Progress': { description: 'The progress of the export, for people.', schema: text },
  Expires: { description: 'When files of the export can no longer be downloaded, as an HTTP date.', schema: text },
  'Content-Range': { description: 'The bytes of the response, and the size of the content.', schema: text },
  'Content-Disposition': { description: 'The name of the file.', schema: text },
  'X-Security-Context': { description: 'The securityContext of the Binary.', schema: text },
  'Set-Cookie': { description: 'Binds the session to the browser; deleted at its end.', schema: text },
  ETag: { description: 'The version of the resource: `W/"1"`.', schema: text },
  'Last-Modified': { description: 'When the version was stored, as an HTTP date.', schema: text },
} as const satisfies Record<string, { description: string; schema: JsonSchema }>;

export type ResponseHeader = keyof typeof responseHeaders;

/** The headers of every rate limit. */
export const rateLimitHeaders = ['RateLimit-Policy', 'RateLimit'] as const satisfies readonly ResponseHeader[];
