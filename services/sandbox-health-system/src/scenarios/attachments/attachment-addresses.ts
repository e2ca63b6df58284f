import { createHash } from 'node:crypto';
import { problemReply } from '../../fhir/operation-outcome';
import type { FhirExchange, Scenario } from '../scenario';
import { withText } from '../rewrite';

const attachment = /("url"\s*:\s*")Binary\/([^"]+)"/g;

/** A scenario that rewrites the URLs of attachments. */
function addressing(name: string, does: string, write: (id: string, exchange: FhirExchange) => string): Scenario {
  return {
    name,
    area: 'Binary / attachments',
    does,
    reply: (reply, exchange) =>
      withText(reply, (text) =>
        text.replace(attachment, (_whole, before: string, id: string) => `${before}${write(id, exchange)}"`),
      ),
  };
}

export const attachmentsAbsolute = addressing(
  'attachments-absolute',
  'Writes the addresses of attachments out under its FHIR base.',
  (id, { base }) => `${base}/Binary/${id}`,
);

export const attachmentsVersioned = addressing(
  'attachments-versioned',
  'Writes the addresses of attachments with a version: Binary/1/_history/1.',
  (id, { base }) => `${base}/Binary/${id}/_history/1`,
);

export const attachmentsElsewhere = addressing(
  'attachments-elsewhere',
  'Has its attachments at another origin, to which no token may be sent.',
  (id, { elsewhere, grant }) => `${elsewhere}/${encodeURIComponent(grant.username)}/files/${id}`,
);

export const attachmentsInward = addressing(
  'attachments-inward',
  'Has attachments at an address of the inner network.',
  (id) => `http://169.254.169.254/latest/meta-data/${id}`,
);

export const attachmentsPathAbsolute = addressing(
  'attachments-path-absolute',
  'Writes the addresses of attachments from the root of its host, with the path of its FHIR base.',
  (id, { base }) => `${new URL(base).pathname}/Binary/${id}`,
);

export const attachmentsLeadingSlash = addressing(
  'attachments-leading-slash',
  'Writes /Binary/{id} for attachments, which are below its FHIR base.',
  (id) => `/Binary/${id}`,
);

export const attachmentsRelative = addressing(
  'attachments-relative',
  'Writes files/{id} for attachments, relative to its FHIR base.',
  (id) => `files/${id}`,
);

export const attachmentsParentRelative = addressing(
  'attachments-parent-relative',
  'Writes the addresses of attachments relative to its FHIR base, beginning with two dots.',
  (id, { release }) => `../${release}/files/${id}?version=1`,
);

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

const presigned = addressing(
  'attachments-presigned',
  'Has attachments at addresses of over 400 characters with a signature, which is another one at every read.',
  (id, exchange) => `${exchange.base}/Binary/${id}?${signature(id, exchange)}`,
);

export const attachmentsPresigned: Scenario = {
  ...presigned,
  before: ({ type, interaction, parameters, release }) =>
    type === 'Binary' && interaction === 'read' && !parameters.has('X-Amz-Signature')
      ? problemReply(release, 403, 'forbidden', 'the address has no signature')
      : undefined,
};

export const attachmentsExpired: Scenario = {
  ...presigned,
  name: 'attachments-expired',
  does: 'As attachments-presigned, and answers 403 to the first read of each attachment, as if its address had expired.',
  before: ({ type, interaction, id = '', counters, release }) =>
    type === 'Binary' && interaction === 'read' && counters.count(`expired ${id}`) === 1
      ? problemReply(release, 403, 'expired', 'the address has expired')
      : undefined,
};

export const attachmentsRedirected: Scenario = {
  name: 'attachments-redirected',
  area: 'Binary / attachments',
  does: 'Redirects reads of Binary to another origin, to which no token may be sent.',
  before: ({ type, id = '', elsewhere, grant }) =>
    type === 'Binary'
      ? {
          status: 302,
          headers: { Location: `${elsewhere}/${encodeURIComponent(grant.username)}/files/${id}` },
          body: '',
        }
      : undefined,
};
