import { createHash } from 'node:crypto';
import { isFhirWanted } from '../fhir/binary';
import { fhirContentType } from '../fhir/operation-outcome';
import { answer, changeText, nth, reads, redirect, refuse } from './hooks';
import { privateHost } from './private-hosts';
import { scenariosOf, type FhirExchange, type Hook, type Reply } from './scenario';

const megabyte = 1024 * 1024;
const attachment = /("url"\s*:\s*")Binary\/([^"]+)"/g;
const contentTypeMember = /"contentType"\s*:\s*"text\/plain; charset=utf-8",?/g;
const plainTextType = 'text/plain; charset=utf-8';

/** Rewrites the URLs of attachments. */
function urls(write: (id: string, exchange: FhirExchange) => string): Hook<'reply'> {
  return changeText((text, exchange) =>
    text.replace(attachment, (_whole, before: string, id: string) => `${before}${write(id, exchange)}"`),
  );
}

/** The parameters of a signature that is another one at every call. */
function signature(id: string, { counters, now }: FhirExchange): string {
  const hash = (text: string): string =>
    createHash('sha256')
      .update(`${text} ${id} ${counters.count('signed')}`)
      .digest('hex');
  return new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'sandbox/20240101/us-east-1/s3/aws4_request',
    'X-Amz-Date': new Date(now).toISOString(),
    'X-Amz-Expires': '3600',
    'X-Amz-Security-Token': [1, 2, 3, 4].map((part) => hash(`token ${part}`)).join(''),
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': hash('signature'),
  }).toString();
}

const presignedUrls = urls((id, exchange) => `${exchange.base}/Binary/${id}?${signature(id, exchange)}`);

/** Declares another content type, in the metadata and in the header; `declared` is empty or a member with a comma. */
function contentTypes(declared: string, served: string): Hook<'reply'> {
  const change = changeText((text) => text.replace(contentTypeMember, declared));
  return (reply, exchange) => {
    if (exchange.type === 'DocumentReference') return change(reply, exchange);
    return exchange.type === 'Binary' && typeof reply.body !== 'string'
      ? { ...reply, headers: { ...reply.headers, 'Content-Type': served } }
      : reply;
  };
}

/** Content as a Binary resource, or in its own media type when the client does not accept FHIR. */
function binary({ accept, parameters, release, id = '' }: FhirExchange, content: Buffer): Reply {
  if (!isFhirWanted(accept, parameters))
    return { status: 200, headers: { 'Content-Type': plainTextType }, body: content };
  const data = { [release === 'r4' ? 'data' : 'content']: content.toString('base64') };
  return {
    status: 200,
    headers: { 'Content-Type': fhirContentType(release) },
    body: JSON.stringify({ resourceType: 'Binary', id, contentType: plainTextType, ...data }),
  };
}

export const attachments = scenariosOf('Attachments', {
  'attachments-absolute': {
    description: 'Writes the addresses of attachments out under its FHIR base.',
    reply: urls((id, { base }) => `${base}/Binary/${id}`),
  },
  'attachments-versioned': {
    description: 'Writes the addresses of attachments with a version: Binary/1/_history/1.',
    reply: urls((id, { base }) => `${base}/Binary/${id}/_history/1`),
  },
  'attachments-other-origin': {
    description: 'Has its attachments at another origin, to which no token may be sent.',
    reply: urls((id, { otherOrigin }) => `${otherOrigin}/files/${id}`),
  },
  'attachments-private-host': {
    description: 'Has attachments at an address of a private network.',
    reply: urls((id) => `${privateHost}/latest/meta-data/${id}`),
  },
  'attachments-path-absolute': {
    description: 'Writes the addresses of attachments from the root of its host, with the path of its FHIR base.',
    reply: urls((id, { base }) => `${new URL(base).pathname}/Binary/${id}`),
  },
  'attachments-leading-slash': {
    description: 'Writes /Binary/{id} for attachments, which are below its FHIR base.',
    reply: urls((id) => `/Binary/${id}`),
  },
  'attachments-relative': {
    description: 'Writes files/{id} for attachments, relative to its FHIR base.',
    reply: urls((id) => `files/${id}`),
  },
  'attachments-parent-relative': {
    description: 'Writes the addresses of attachments relative to its FHIR base, beginning with two dots.',
    reply: urls((id, { release }) => `../${release}/files/${id}?version=1`),
  },
  'attachments-presigned': {
    description:
      'Has attachments at addresses of over 400 characters with a signature, which is another one at every read.',
    reply: presignedUrls,
    before: refuse(
      (exchange) => reads('Binary')(exchange) && !exchange.parameters.has('X-Amz-Signature'),
      403,
      'forbidden',
      'the address has no signature',
    ),
  },
  'attachments-expired': {
    description:
      'As attachments-presigned, and answers 403 to the first read of each attachment, as if its address had expired.',
    reply: presignedUrls,
    before: refuse(nth(1, 'expired', reads('Binary')), 403, 'expired', 'the address has expired'),
  },
  'attachments-redirected': {
    description: 'Redirects reads of Binary to another origin, to which no token may be sent.',
    before: answer(reads('Binary'), ({ otherOrigin, id }) => redirect(`${otherOrigin}/files/${id}`)),
  },
  'attachments-untyped': {
    description: 'Has attachments without a content type; Binary is served as application/octet-stream.',
    reply: contentTypes('', 'application/octet-stream'),
  },
  'attachments-mistyped': {
    description: 'Declares its attachments as PDF; they are text.',
    reply: contentTypes('"contentType":"application/pdf",', 'application/pdf'),
  },
  'attachments-huge': {
    description: 'Serves 30 MB for every attachment.',
    before: answer(reads('Binary'), (exchange) =>
      binary(exchange, Buffer.alloc(30 * megabyte, 'an example page of an example scan\n')),
    ),
  },
  'attachments-regenerated': {
    description: 'Generates each attachment on every read, so that no two reads return the same bytes.',
    before: answer(reads('Binary'), (exchange) =>
      binary(exchange, Buffer.from(`Printed for the ${exchange.counters.count('printed')}. time\n`)),
    ),
  },
  'attachments-gone': {
    description: 'Answers 404 to every attachment.',
    before: refuse(reads('Binary'), 404, 'not-found', 'the document was archived'),
  },
});
