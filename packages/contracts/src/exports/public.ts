import { z } from 'zod';
import { fhirVersion } from '../releases';

/** One file of an export: resources of one type and one release. */
export const exportedFile = z.object({
  type: z.string().describe('The resource type of every line.'),
  url: z
    .string()
    .describe(
      'Shape {analytics_url}/bulk-data/r4/$export/<resource_type>/<file_token>.ndjson; wants the same credentials as the export.',
    ),
  count: z.int().describe('Resources in the file.'),
  extension: z.object({
    fhirVersion: fhirVersion.describe('The release of every line.'),
    convertedFrom: fhirVersion
      .optional()
      .describe(
        'Of an export in R4: the release from which its lines were converted, or of the resources that were left out.',
      ),
  }),
});
export type ExportedFile = z.infer<typeof exportedFile>;

/** Answer of `GET {analytics_url}/bulk-data/r4/$export` (specification, "Bulk export manifest"), and of a finished asynchronous export. */
export const exportManifest = z.object({
  transactionTime: z
    .string()
    .describe('The export shows what was stored at this time; give it as _since to the next one.'),
  request: z.string().describe('The address that was asked.'),
  requiresAccessToken: z.literal(true).describe('Downloads need credentials.'),
  output: z.array(exportedFile),
  deleted: z.array(exportedFile).describe('With _since: files of Bundles that name what was deleted since.'),
  error: z.array(exportedFile).describe('Files of OperationOutcomes; empty when nothing failed.'),
});
export type ExportManifest = z.infer<typeof exportManifest>;

/** The path of bulk exports below {analytics_url}. */
export const exportPath = '/bulk-data/r4/$export';

/** Answer of `GET {analytics_url}/.well-known/smart-configuration`: where a client of the Bulk Data Access guide gets its tokens. */
export const smartConfiguration = z.object({
  issuer: z.string(),
  token_endpoint: z.string(),
  token_endpoint_auth_methods_supported: z.array(z.string()),
  token_endpoint_auth_signing_alg_values_supported: z.array(z.string()),
  grant_types_supported: z.array(z.string()),
  scopes_supported: z.array(z.string()),
  revocation_endpoint: z.string(),
  introspection_endpoint: z.string(),
  code_challenge_methods_supported: z.array(z.string()),
  capabilities: z.array(z.string()),
});
export type SmartConfiguration = z.infer<typeof smartConfiguration>;
