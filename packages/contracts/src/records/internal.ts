import { z } from 'zod';
import { clientId, healthSystemId } from '../identifiers';
import { fhirVersion } from '../releases';

/** The extension that represents the r4 element Meta.source in earlier releases. */
export const metaSourceExtension = 'http://hl7.org/fhir/4.0/StructureDefinition/extension-Meta.source';
/** The extension of `meta` for the URL in the source of an r4 resource that has a `meta.source` of its own. */
export const sourceAddressExtension = 'urn:tributary:source-address';

/**
 * The source of collected resources. Query of `POST /internal/v1/records/{service_user_id}/batches`; the body is NDJSON
 * with one source resource per line.
 */
export const batchSource = z.object({
  client_id: clientId,
  release: fhirVersion,
  health_system_id: healthSystemId,
  fhir_base_url: z
    .string()
    .describe('The FHIR base URL of the source. Absolute references below it point to resources of the source.'),
});
export type BatchSource = z.infer<typeof batchSource>;

/** The result of one resource of a batch. */
export const resourceOutcome = z.object({
  outcome: z.enum(['stored', 'unchanged', 'failed']),
  type: z.string().optional(),
  source_id: z.string().optional(),
  id: z.string().optional().describe('Its id in the record; absent when it failed.'),
  created: z.boolean().optional().describe('With the outcome `stored`: whether the record did not hold it before.'),
  version: z.int().optional().describe('The version that is current after the batch; absent when it failed.'),
  last_updated: z.int().optional().describe('When that version was stored, in epoch milliseconds.'),
  attachments_elsewhere: z
    .int()
    .optional()
    .describe(
      'The number of its attachments at other hosts or at no server, which are not listed as unresolved references.',
    ),
  reason: z.string().optional().describe('Why it failed, without clinical values.'),
});
export type ResourceOutcome = z.infer<typeof resourceOutcome>;

/** Response of `POST .../batches`; the results are in the order of the lines. */
export const batchResult = z.object({
  results: z.array(resourceOutcome),
  now: z.int().describe('The clock of the database after the batch, in epoch milliseconds.'),
});
export type BatchResult = z.infer<typeof batchResult>;

/** Text in a header: UTF-8 in base64url, as it can have any characters and be long. */
const encodedText = z
  .string()
  .regex(/^[\w-]+$/)
  .transform((text) => Buffer.from(text, 'base64url').toString('utf8'));

/** The media type of the body, whatever that of the attachment is. */
export const attachmentMediaType = 'application/octet-stream';

/**
 * Headers of `POST /internal/v1/records/{service_user_id}/attachments`, which stores an attachment as a Binary. Proxies
 * log queries, but no headers.
 *
 * The query is that of a batch. The body is the content as `application/octet-stream`, usually in chunks: it is stored
 * while it arrives, and not at all when the body is cut short. The response is the result of the resource. 413: the
 * content is larger than fhir-store takes, or it has no storage for content that does not fit into a batch. fhir-store
 * reads the rest of the body before it closes the connection, as the client would miss the response otherwise.
 */
export const attachmentHeaders = z.object({
  'x-attachment-source-id': encodedText.describe('The id of the Binary at the source, or the URL there.'),
  'x-attachment-media-type': encodedText,
});
/** What the headers say of an attachment. */
export interface AttachmentDescription {
  sourceId: string;
  mediaType: string;
}

export function toAttachmentHeaders({ sourceId, mediaType }: AttachmentDescription): z.input<typeof attachmentHeaders> {
  return {
    'x-attachment-source-id': Buffer.from(sourceId).toString('base64url'),
    'x-attachment-media-type': Buffer.from(mediaType).toString('base64url'),
  };
}

/**
 * Query of `GET /internal/v1/records/{service_user_id}/unresolved-references`: references in stored resources of the
 * source whose targets the record does not contain yet. A reference is `Type/id` at the source, or the URL of an
 * attachment there. A page has at most 1,000 references in a stable order.
 */
export const unresolvedReferencesQuery = batchSource.extend({
  after: z.string().optional().describe('The `next` of the previous page.'),
});
export const unresolvedReferences = z.object({ references: z.array(z.string()), next: z.string().optional() });
export type UnresolvedReferences = z.infer<typeof unresolvedReferences>;

/**
 * Response of `POST /internal/v1/records/{service_user_id}/resolve-references`, which reverts references whose targets
 * were not collected to the form of the source.
 */
export const referenceResolution = z.object({ reverted: z.int().describe('The number of changed resources.') });
export type ReferenceResolution = z.infer<typeof referenceResolution>;

/**
 * Query of `POST /internal/v1/records/{service_user_id}/source-references`: the current resources of a type that the
 * record holds from the source, in the order of their ids. The body has the ids in the record that are left out, one
 * per line. A resource whose address at the source is not known is left out, too.
 */
export const sourceReferencesQuery = batchSource.extend({
  type: z.string(),
  patient_id: z
    .string()
    .optional()
    .describe(
      'The id of a Patient at the source: only resources about this patient (`patient`, `subject`, `beneficiary`), and none in the compartment of another Patient that the record holds from the source.',
    ),
  after: z.string().optional().describe('The `next` of the previous page.'),
});
export const sourceReference = z.object({
  id: z.string().describe('The id in the record.'),
  reference: z.string().describe('`Type/id` at the source, or the URL of an attachment there.'),
  version: z.int().describe('The version in the record.'),
  last_updated: z.int().describe('When the record got this version, in epoch milliseconds.'),
});
export type SourceReference = z.infer<typeof sourceReference>;

/** A page has at most 100 references, and can have fewer when there are more. */
export const sourceReferences = z.object({ references: z.array(sourceReference), next: z.string().optional() });
export type SourceReferences = z.infer<typeof sourceReferences>;

/**
 * One line of the NDJSON body of `POST /internal/v1/records/{service_user_id}/source-deletions`: the resource is
 * deleted when this version is the current one.
 */
export const sourceDeletion = sourceReference.pick({ reference: true, version: true });
export type SourceDeletion = z.infer<typeof sourceDeletion>;

/**
 * Response of `POST .../source-deletions`, in the order of the lines. `changed`: another version is the current one.
 */
export const sourceDeletions = z.object({ results: z.array(z.enum(['deleted', 'absent', 'changed'])) });
export type SourceDeletions = z.infer<typeof sourceDeletions>;
