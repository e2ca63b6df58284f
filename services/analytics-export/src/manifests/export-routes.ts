import { exportManifest, exportPath } from '@tributary/contracts';
import type { RecordExport } from '@tributary/record-storage';
import type { Api, Authentication } from '@tributary/service-kit';
import type { Request } from 'express';
import { z } from 'zod';
import { type ExportCaller, scopeOf } from '../callers/export-caller';
import type { ExportPlanner } from '../planning/plan-export';
import { type ParameterPairs, readExportRequest } from '../requests/export-request';
import { readPreferences } from '../requests/preferences';
import { type ManifestOptions, manifestOf } from './manifest';

export interface ExportParts {
  caller: Authentication<ExportCaller>;
  reader: RecordExport;
  planner: ExportPlanner;
  manifest: ManifestOptions;
}

const texts = z.union([z.string(), z.array(z.string())]).optional();

/** The query, as it is documented; `readExportRequest` reads it. */
const query = z.looseObject({
  _type: texts.describe('Limits the export to these resource types: a comma list, or repeats.'),
  _since: texts.describe('A FHIR date, dateTime or instant: only resources whose meta.lastUpdated is strictly later.'),
  _outputFormat: texts.describe('application/fhir+ndjson, the default.'),
});

const headers = z.object({
  'x-service-user-id': z.literal('client').optional().describe('Beside client_id and client_secret: all users of the client.'),
  prefer: z.string().optional().describe('handling=strict refuses parameters that are not supported; otherwise they are ignored.'),
});

/** Serves the export itself: a manifest at once. */
export function serveExports(api: Api, { caller, reader, planner, manifest }: ExportParts): void {
  api.route(
    {
      method: 'get',
      path: exportPath,
      operationId: 'export',
      summary: 'Bulk export',
      description: "With a user's bearer token: that user's data. With client_id, client_secret and x-service-user-id: client, the data of all of the client's users. Each file holds resources of one type and one FHIR release, as they were at transactionTime.",
      tags: ['Bulk export'],
      authentication: caller,
      query,
      headers,
      responses: {
        200: { description: 'The manifest.', schema: exportManifest },
        400: { description: 'The input breaks the contract.' },
        401: { description: 'The credentials are missing or wrong.' },
      },
    },
    async ({ principal, request }) => {
      const wanted = readExportRequest(queryPairs(request), readPreferences(request.get('prefer')));
      const at = await reader.snapshotTime();
      const plan = await planner.plan(scopeOf(principal), wanted, at);
      return manifestOf(plan, `${manifest.analyticsUrl}${request.originalUrl}`, at, manifest);
    },
  );
}

function queryPairs({ originalUrl }: Request): ParameterPairs {
  const start = originalUrl.indexOf('?');
  return start < 0 ? [] : [...new URLSearchParams(originalUrl.slice(start + 1))];
}
