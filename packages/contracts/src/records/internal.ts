import { z } from 'zod';
import { clientId, healthSystemId } from '../identifiers';
import { fhirVersion } from '../releases';

/** The source of collected resources. Query of `POST /internal/v1/records/{service_user_id}/batches`; the body is NDJSON with one source resource per line. */
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
  reason: z.string().optional().describe('Why it failed, without clinical values.'),
});
export type ResourceOutcome = z.infer<typeof resourceOutcome>;

/** Response of `POST .../batches`; the results are in the order of the lines. */
export const batchResult = z.object({ results: z.array(resourceOutcome) });
export type BatchResult = z.infer<typeof batchResult>;

/**
 * Query of `GET /internal/v1/records/{service_user_id}/unresolved-references`: references in stored resources of the source whose targets the record does
 * not contain yet. A reference is `Type/id` at the source, or the URL of an attachment there. A page has at most 1,000 references in a stable order.
 */
export const unresolvedReferencesQuery = batchSource.extend({
  after: z.string().optional().describe('The `next` of the previous page.'),
});
export const unresolvedReferences = z.object({ references: z.array(z.string()), next: z.string().optional() });
export type UnresolvedReferences = z.infer<typeof unresolvedReferences>;

/** Response of `POST /internal/v1/records/{service_user_id}/resolve-references`, which reverts references whose targets were not collected to the form of the source. */
export const referenceResolution = z.object({ reverted: z.int().describe('The number of changed resources.') });
export type ReferenceResolution = z.infer<typeof referenceResolution>;
