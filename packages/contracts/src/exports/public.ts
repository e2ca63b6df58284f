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

/** An asynchronous export in the list of those of its caller. */
export const exportEntry = z
  .object({
    export_id: z
      .string()
      .describe('The last segment of the URL of the status.')
      .meta({ examples: [exampleValues.export_id] }),
    status_url: z
      .string()
      .describe('As in Content-Location: where the manifest is when the export is finished, and where it is deleted.')
      .meta({ examples: [`https://analytics.example.org/bulk-data/r4/$export-status/${exampleValues.export_id}`] }),
    state: z.enum(['accepted', 'planning', 'finished', 'failed']),
    progress: z.int().min(0).max(100).describe('Of the planning, in percent.'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().describe('Until when its files can be downloaded; then it is no longer listed.'),
    types: z.array(z.string()).optional().describe('The resource types that were asked for; absent: all.'),
    since: z.iso.datetime().optional().describe('`_since` of the request.'),
    in_r4: z.boolean().describe('Whether resources of DSTU2 and STU3 are converted to R4.'),
    filters: z
      .array(z.enum(['_elements', '_typeFilter', '_releasePerSource', 'patient']))
      .describe('The other parameters of the request, without their values.')
      .meta({ examples: [[]] }),
    error: z
      .object({ code: z.string().meta({ examples: ['export_failed'] }), message: z.string() })
      .optional()
      .describe('Why the export has failed.'),
  })
  .meta({ id: 'ExportEntry' });
export type ExportEntry = z.infer<typeof exportEntry>;

/** Response of `GET {analytics_url}/bulk-data/r4/$export-status`. */
export const exportList = z
  .object({
    total: z.int().min(0),
    offset: z.int().min(0),
    limit: z.int().min(1),
    entry: z.array(exportEntry),
  })
  .meta({ id: 'ExportList' });
export type ExportList = z.infer<typeof exportList>;
