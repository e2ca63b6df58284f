import {
  type ExportEntry,
  documentedOffset,
  exampleValues,
  exportList,
  exportManifest,
  exportPath,
  offset,
  operationOutcome,
  pageLimit,
} from '@tributary/contracts';
import { SNAPSHOT_LIFETIME_MS } from '@tributary/record-storage';
import { type Api, insufficientScope } from '@tributary/service-kit';
import type { Response } from 'express';
import { z } from 'zod';
import { type ExportAuditEvent, countsOf } from '../audit/audit-log';
import { type ExportCaller, allUsers, coversTypes, notFound } from '../callers/export-caller';
import type { Dependencies } from '../dependencies';
import { expiryOf } from '../files/manifest-file';
import { manifestOf } from '../manifests/manifest';
import { parametersOf } from '../requests/export-request';
import type { ExportJob, ListedJob } from './export-jobs';

const statusPath = exportPath.replace('$export', '$export-status');

/** The URL of the status of an asynchronous export, for `Content-Location`. */
export function statusUrl(analyticsUrl: string, jobId: string): string {
  return `${analyticsUrl}${statusPath}/${jobId}`;
}

const params = z.object({
  export_id: z
    .string()
    .describe('As in Content-Location.')
    .meta({ examples: [exampleValues.export_id] }),
});

/**
 * Serves the list of the asynchronous exports of a caller, their status, and their deletion:
 * https://hl7.org/fhir/uv/bulkdata/export.html#bulk-data-status-request.
 */
export function serveStatus(api: Api, dependencies: Dependencies): void {
  const { caller, limits, jobs, auditLog, analyticsUrl } = dependencies;
  const ownJob = async (id: string, { clientId, serviceUserId }: ExportCaller): Promise<ExportJob | undefined> => {
    const job = z.uuid().safeParse(id).success ? await jobs.find(id) : undefined;
    const isOwn = job?.caller.clientId === clientId && job.caller.serviceUserId === serviceUserId;
    return isOwn && expiryOf(job).getTime() > Date.now() ? job : undefined;
  };
  /** @throws HttpError 404, once the refusal is recorded */
  const refuse = async (event: ExportAuditEvent): Promise<never> => {
    await auditLog.record(event, 'refused');
    throw notFound('export');
  };
  api.route(
    {
      method: 'get',
      path: statusPath,
      operationId: 'listExports',
      audit: { none: 'the states of exports, and what was asked for, without data of users' },
      summary: 'The asynchronous exports of the caller, newest first',
      description:
        'Those of the same user, or with the credentials of a client, those of all of its users. An export is listed until it is deleted or expires. Of its parameters `_elements`, `_typeFilter` and `patient` only the names are shown.',
      tags: ['Bulk export'],
      authentication: caller,
      limits: limits.status,
      headers: z.object({ 'x-service-user-id': allUsers }),
      query: z.object({
        offset: offset.default(0).describe('The index of the first export.').meta({ documented: documentedOffset }),
        limit: pageLimit,
      }),
      responses: {
        200: { description: 'A page of exports.', schema: exportList },
        401: { description: 'The credentials are missing or wrong.' },
        403: {
          description: 'The scope of the access token covers some types only.',
          codes: ['insufficient_scope'],
        },
      },
    },
    async ({ principal, query }) => {
      if (!coversTypes(principal, undefined))
        throw insufficientScope(
          'the list has exports of all types, and the scope of the access token covers some only',
        );
      const { total, jobs: listed } = await jobs.list(principal, Date.now() - SNAPSHOT_LIFETIME_MS, query);
      return { total, ...query, entry: listed.map((job) => entryOf(job, analyticsUrl)) };
    },
  );
  api.route(
    {
      method: 'get',
      path: `${statusPath}/{export_id}`,
      operationId: 'exportStatus',
      audit: { none: 'the handler records the reading of a manifest, and refusals; a state has no data' },
      summary: 'The status of an asynchronous export',
      description: 'Poll again after the number of seconds in Retry-After.',
      tags: ['Bulk export'],
      authentication: caller,
      limits: limits.status,
      params,
      responses: {
        200: {
          description: 'Finished: the manifest. Its files can be downloaded until the time in Expires.',
          schema: exportManifest,
          headers: ['Expires'],
        },
        202: {
          description: 'In progress, without a body: X-Progress has the percentage.',
          headers: ['X-Progress', 'Retry-After'],
        },
        400: {
          description: 'The input is malformed, or the export has failed.',
          codes: ['invalid_request', 'unknown_patient'],
        },
        404: { description: 'No such export for these credentials, or it was deleted.' },
        413: { description: 'The export has failed.' },
        500: { description: 'The export has failed.', codes: ['export_failed'] },
      },
    },
    async ({ params: { export_id: id }, principal, request, response, requestId }) => {
      const event = { requestId, kind: 'export.read', caller: principal, request } as const;
      const job = (await ownJob(id, principal)) ?? (await refuse(event));
      if (job.failure) throw job.failure;
      if (job.state !== 'finished')
        return sendProgress(response, job.state === 'planning' ? `planning, ${job.progress}% done` : 'accepted');
      const [stored, plan] = await Promise.all([jobs.requestOf(id), jobs.planOf(id)]);
      if (!stored || !plan || !coversTypes(principal, stored.request.types)) return refuse(event);
      await auditLog.record({ ...event, resources: countsOf([...plan.output, ...plan.deleted]) }, 'success');
      response.set('Expires', expiryOf(job).toUTCString());
      return manifestOf(plan, stored.address, job.at, dependencies);
    },
  );
  api.route(
    {
      method: 'delete',
      path: `${statusPath}/{export_id}`,
      operationId: 'deleteExport',
      audit: { none: 'the handler records the cancellation, and refusals' },
      summary: 'Cancel an asynchronous export, or delete a finished one',
      tags: ['Bulk export'],
      authentication: caller,
      limits: limits.status,
      params,
      responses: {
        202: {
          description: 'It is deleted.',
          schema: operationOutcome,
          contentType: 'application/fhir+json',
          example: informational('the export is deleted'),
        },
        404: { description: 'No such export for these credentials, or it was deleted.' },
      },
    },
    async ({ params: { export_id: id }, principal, request, response, requestId }) => {
      const event = { requestId, kind: 'export.cancelled', caller: principal, request } as const;
      if (!(await ownJob(id, principal)) || !(await jobs.remove(id, principal))) return refuse(event);
      await auditLog.record(event, 'success');
      return sendOutcome(response, 'the export is deleted');
    },
  );
}

const shownByValue: ReadonlySet<string> = new Set(['_type', '_since', '_outputFormat']);

function entryOf({ id, state, progress, createdAt, request, failure, ...job }: ListedJob, url: string): ExportEntry {
  const { types, since, inR4 } = request;
  return {
    export_id: id,
    status_url: statusUrl(url, id),
    state,
    progress: state === 'finished' ? 100 : progress,
    created_at: createdAt.toISOString(),
    expires_at: expiryOf(job).toISOString(),
    ...(types ? { types: [...types] } : {}),
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
    in_r4: inR4 === true,
    filters: parametersOf(request).filter((name) => !shownByValue.has(name)) as ExportEntry['filters'],
    ...(failure ? { error: { code: failure.errorCode, message: failure.message } } : {}),
  };
}

function sendProgress(response: Response, progress: string): undefined {
  response.status(202).set({ 'X-Progress': progress, 'Retry-After': '1' }).end();
  return undefined;
}

/** Sends 202 with an informational OperationOutcome. */
export function sendOutcome(response: Response, diagnostics: string): undefined {
  response
    .status(202)
    .type('application/fhir+json')
    .send(JSON.stringify(informational(diagnostics)));
  return undefined;
}

/** An informational OperationOutcome. */
export function informational(diagnostics: string): object {
  return {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'information', code: 'informational', diagnostics }],
  };
}
