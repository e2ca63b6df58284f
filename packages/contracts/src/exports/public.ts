import { z } from 'zod';
import { exampleValues } from '../examples';
import { fhirVersion } from '../releases';

/** One file of an export: resources of one type and one release. */
export const exportedFile = z
  .object({
    type: z
      .string()
      .describe('The resource type of every line.')
      .meta({ examples: ['Observation'] }),
    url: z
      .string()
      .describe(
        'Shape {analytics_url}/bulk-data/r4/$export/<resource_type>/<file_token>.ndjson; requires the same credentials as the export.',
      )
      .meta({
        examples: [`https://analytics.example.org/bulk-data/r4/$export/Observation/${exampleValues.file_token}.ndjson`],
      }),
    count: z
      .int()
      .min(0)
      .describe('Resources in the file.')
      .meta({ examples: [1200] }),
    extension: z.object({
      fhirVersion: fhirVersion.describe('The release of every line.'),
      convertedFrom: fhirVersion
        .optional()
        .describe(
          'In an export in R4: the release from which the lines were converted, or of the resources that were omitted.',
        ),
    }),
  })
  .meta({ id: 'ExportedFile' });
export type ExportedFile = z.infer<typeof exportedFile>;

/**
 * Response of `GET {analytics_url}/bulk-data/r4/$export` and of a completed asynchronous export
 * (https://hl7.org/fhir/uv/bulkdata/export.html#response---output-manifest).
 */
export const exportManifest = z
  .object({
    transactionTime: z
      .string()
      .describe('The export contains what was stored at this time; use it as _since of the next export.')
      .meta({ examples: ['2025-11-22T08:30:00.000Z'] }),
    request: z
      .string()
      .describe('The URL of the export request.')
      .meta({ examples: ['https://analytics.example.org/bulk-data/r4/$export'] }),
    requiresAccessToken: z.literal(true).describe('Downloads require credentials.'),
    output: z.array(exportedFile),
    deleted: z
      .array(exportedFile)
      .describe('With _since: files of Bundles that list the resources deleted since then.')
      .meta({ examples: [[]] }),
    error: z
      .array(exportedFile)
      .describe('Files of OperationOutcomes; empty when no error occurred.')
      .meta({ examples: [[]] }),
  })
  .meta({ id: 'Manifest' });
export type ExportManifest = z.infer<typeof exportManifest>;

/** The path of bulk exports, relative to {analytics_url}. */
export const exportPath = '/bulk-data/r4/$export';
