import { z } from 'zod';
import { clientId, healthSystemId } from '../identifiers';
import { fhirVersion } from '../releases';

/** Where a batch of collected resources comes from. Query of `POST /internal/v1/records/{service_user_id}/batches`; its body is NDJSON, one source resource a line. */
export const batchSource = z.object({
  client_id: clientId,
  release: fhirVersion,
  health_system_id: healthSystemId,
  fhir_base_url: z.string().describe('The FHIR base of the source: absolute references below it are its own.'),
});
export type BatchSource = z.infer<typeof batchSource>;

/** What became of one line of a batch, in the order of the lines. */
export const resourceOutcome = z.object({
  outcome: z.enum(['stored', 'unchanged', 'failed']),
  type: z.string().optional(),
  source_id: z.string().optional(),
  reason: z.string().optional().describe('Why it failed; never a clinical value.'),
});
export type ResourceOutcome = z.infer<typeof resourceOutcome>;

export const batchResult = z.object({ results: z.array(resourceOutcome) });
export type BatchResult = z.infer<typeof batchResult>;

/** `GET /internal/v1/records/{service_user_id}/unresolved-references`: references of the source's stored resources, as Type/id of the source or as the whole address of an attachment there, whose targets the record does not hold yet; at most 1,000 at a time, in a stable order. */
export const unresolvedReferencesQuery = batchSource.extend({
  after: z.string().optional().describe('Where the list before ended.'),
});
export const unresolvedReferences = z.object({ references: z.array(z.string()), next: z.string().optional() });
export type UnresolvedReferences = z.infer<typeof unresolvedReferences>;

/** `POST /internal/v1/records/{service_user_id}/resolve-references`: references whose targets never came get their source form back. */
export const referenceResolution = z.object({ reverted: z.int().describe('Resources that changed.') });
export type ReferenceResolution = z.infer<typeof referenceResolution>;
