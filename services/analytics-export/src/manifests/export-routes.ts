import { exportManifest, exportPath, operationOutcome } from '@tributary/contracts';
import { ExportTooLargeError } from '@tributary/record-storage';
import {
  type AnyRoute,
  type Api,
  type Authentication,
  type RouteLimit,
  ClientGoneError,
  HttpError,
  badRequest,
  clientSignal,
} from '@tributary/service-kit';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { type AuditLog, countsOf } from '../audit/audit-log';
import { type ExportCaller, scopeOf, withinScope } from '../callers/export-caller';
import type { ExportJobs } from '../jobs/export-jobs';
import type { PlanningQueue } from '../jobs/planning-queue';
import { informational, sendOutcome, statusUrl } from '../jobs/status-routes';
import type { ExportPlanner } from '../planning/plan-export';
import { type ExportRequest, readExportRequest } from '../requests/export-request';
import { bodyPairs, parametersBody, queryPairs } from '../requests/parameters-body';
import { readPreferences } from '../requests/preferences';
import type { ClientSlots } from '../slots/client-slots';
import type { Snapshots } from '../snapshots/snapshots';
import { type ManifestOptions, manifestOf } from './manifest';

export interface ExportDependencies {
  caller: Authentication<ExportCaller>;
  exportLimits: RouteLimit[];
  snapshots: Snapshots;
  planner: ExportPlanner;
  jobs: ExportJobs;
  queue: PlanningQueue;
  auditLog: AuditLog;
  manifest: ManifestOptions;
  /** The synchronous exports that are planned at once. */
  slots: ClientSlots;
  /** What a synchronous export may cost. */
  limits: SynchronousLimits;
}

export interface SynchronousLimits {
  readonly maxBlocks: number;
  readonly maxBytes: number;
}

/** Asynchronous exports of one user or client that may be unfinished at once. */
const maxUnfinished = 10;

const texts = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .meta({ documented: { type: 'array', items: { type: 'string' } } });
const text = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .meta({ documented: { type: 'string' } });

/** The query, as it is documented; `readExportRequest` reads it. */
const query = z.looseObject({
  _type: texts.describe('Limits the export to these resource types: a comma list, or repeats.'),
  _since: text.describe(
    'A FHIR date, dateTime or instant: only resources whose meta.lastUpdated is strictly later. Resources that were deleted since are listed in deleted.',
  ),
  _elements: texts.describe('Only these elements, beside the mandatory ones: status or Observation.status.'),
  _typeFilter: texts.describe(
    'Searches such as Observation?status=final; a resource must match one of the searches of its type.',
  ),
  _releasePerSource: text.describe(
    'newest: with fhirVersion=4.0, of each health system of a user only the newest release in which the record has it.',
  ),
  _outputFormat: text.describe(
    'application/fhir+ndjson, the default. With ;fhirVersion=4.0 resources of DSTU2 and STU3 are converted to R4.',
  ),
});

const headers = z.object({
  'x-service-user-id': z
    .literal('client')
    .optional()
    .describe('Beside client_id and client_secret: all users of the client.'),
  prefer: z
    .string()
    .optional()
    .describe(
      'respond-async: the asynchronous flow. handling=strict refuses parameters that are not supported; otherwise they are ignored, but includeAssociatedData and organizeOutputBy only with handling=lenient.',
    ),
});

const description = `With a user's bearer token: that user's data. With client_id, client_secret and x-service-user-id: client, the data of all of the client's users; likewise with an access token of the client itself (SMART Backend Services), limited to the types of its scope.
Each file holds resources of one type and one FHIR release, as they were at transactionTime. With _outputFormat=application/fhir+ndjson;fhirVersion=4.0 all of them are R4: resources of the clinical types are converted from DSTU2 and STU3 and tagged so, their files have the R4 type and extension.convertedFrom, and error reports the resources that are left out; _type and _typeFilter then mean R4. The response is the manifest; with Prefer: respond-async it is the URL of the status (FHIR Bulk Data Access).`;

/** A selection that is longer than this does not fit into the addresses of files. */
const maxTokenSelection = 2000;

/**
 * Serves the export of everything and of all patients. Both paths export the same, since each record belongs to one
 * patient.
 */
export function serveExports(api: Api, dependencies: ExportDependencies): void {
  const addresses = [
    ['Export', exportPath],
    ['PatientExport', exportPath.replace('$export', 'Patient/$export')],
  ] as const;
  const responses: AnyRoute['responses'] = {
    200: { description: 'The manifest.', schema: exportManifest, headers: ['Expires'] },
    202: {
      description: 'With Prefer: respond-async: accepted; Content-Location is the URL of the status.',
      schema: operationOutcome,
      contentType: 'application/fhir+json',
      headers: ['Content-Location'],
      example: informational('the export is accepted: poll the URL in Content-Location'),
    },
    400: { description: 'The request is malformed.', codes: ['invalid_request', 'unknown_patient'] },
    401: { description: 'The credentials are missing or wrong.' },
    403: {
      description: 'The scope of the access token does not cover a type of _type.',
      codes: ['insufficient_scope'],
    },
    413: { description: 'The export is too large for a synchronous response: use Prefer: respond-async.' },
    429: {
      description: 'Too many requests, or too many asynchronous exports of the caller are not finished yet.',
      codes: ['too_many_requests', 'too_many_failed_credentials', 'too_many_exports'],
    },
  };
  for (const [name, path] of addresses) {
    const shared = {
      path,
      description,
      tags: ['Bulk export'],
      authentication: dependencies.caller,
      limits: dependencies.exportLimits,
      audit: { none: 'the handler records the export with its content' },
      headers,
      responses,
      bodyTypes: ['application/fhir+json', 'application/json'],
    };
    api.route(
      {
        ...shared,
        method: 'get',
        operationId: `get${name}`,
        summary: 'Bulk export',
        query,
        example: { query: { _type: ['Observation'] } },
      },
      async ({ principal, request, response, requestId }) => {
        const wanted = readExportRequest(queryPairs(request), readPreferences(request.get('prefer')));
        return recorded(dependencies, wanted, { principal, request, response, requestId });
      },
    );
    api.route(
      {
        ...shared,
        method: 'post',
        operationId: `post${name}`,
        summary: 'Bulk export, with its parameters in a body',
        // bodyPairs reads it, and says more than that parameters are unknown when it is no Parameters resource.
        body: z.unknown(),
        documentedBody: parametersBody.optional(),
        example: {
          body: { resourceType: 'Parameters', parameter: [{ name: '_type', valueString: 'Observation' }] },
        },
      },
      async ({ principal, request, response, requestId }) => {
        const wanted = readExportRequest(
          [...queryPairs(request), ...bodyPairs(request)],
          readPreferences(request.get('prefer')),
          true,
        );
        return recorded(dependencies, wanted, { principal, request, response, requestId });
      },
    );
  }
}

interface ExportExchange {
  principal: ExportCaller;
  request: Request;
  response: Response;
  requestId: string;
}

/** Responds, and records a failed export in the audit log; a successful one is recorded with its content. */
async function recorded(
  dependencies: ExportDependencies,
  wanted: ExportRequest,
  exchange: ExportExchange,
): Promise<object | undefined> {
  try {
    return await respond(dependencies, withinScope(exchange.principal, wanted), exchange);
  } catch (error) {
    const outcome =
      error instanceof ClientGoneError
        ? 'aborted'
        : error instanceof HttpError && error.status < 500
          ? 'refused'
          : 'failed';
    // The caller gets the error even when it cannot be recorded, since no data was disclosed.
    await dependencies.auditLog
      .record(
        {
          requestId: exchange.requestId,
          action: 'export',
          caller: exchange.principal,
          request: exchange.request,
        },
        outcome,
      )
      .catch(() => undefined);
    throw error;
  }
}

async function respond(
  dependencies: ExportDependencies,
  wanted: ExportRequest,
  { principal, request, response, requestId }: ExportExchange,
): Promise<object | undefined> {
  const { snapshots, planner, auditLog, manifest } = dependencies;
  const address = `${manifest.analyticsUrl}${request.originalUrl}`;
  const { respondAsync } = readPreferences(request.get('prefer'));
  if (respondAsync && request.method === 'HEAD')
    throw new HttpError('method_not_allowed', 'a HEAD request does not start an export: use GET or POST', {
      Allow: 'GET, POST',
    });
  if (respondAsync) return begin(dependencies, wanted, address, { principal, request, response, requestId });
  if (wanted.lines && JSON.stringify(wanted.lines).length > maxTokenSelection)
    throw badRequest(
      '_elements, _typeFilter and patient are too long for a synchronous response: use Prefer: respond-async',
    );
  const signal = clientSignal(response);
  const { at, plan } = await dependencies.slots.run(principal.clientId, async () => {
    signal.throwIfAborted();
    const taken = await snapshots.take();
    return {
      at: taken,
      plan: await planner.plan(scopeOf(principal), wanted, taken, { signal, ...dependencies.limits }).catch(asTooLarge),
    };
  });
  await auditLog.record(
    {
      requestId,
      action: 'export',
      caller: principal,
      request,
      wanted,
      resources: countsOf([...plan.output, ...plan.deleted]),
    },
    'success',
  );
  return manifestOf(plan, address, at, manifest);
}

function asTooLarge(error: unknown): never {
  if (error instanceof ExportTooLargeError)
    throw new HttpError(
      'too_large',
      'the export is too large for a synchronous response: send Prefer: respond-async, or narrow it by _type or _since',
    );
  throw error;
}

/** Accepts an asynchronous export. Its snapshot is taken now, whenever it is planned. */
async function begin(
  { snapshots, jobs, queue, auditLog, manifest }: ExportDependencies,
  wanted: ExportRequest,
  address: string,
  { principal: caller, request, response, requestId }: ExportExchange,
): Promise<undefined> {
  if ((await jobs.unfinishedOf(caller)) >= maxUnfinished)
    throw new HttpError(
      'too_many_exports',
      `${maxUnfinished} asynchronous exports are not finished yet: wait for them or delete them`,
      { 'Retry-After': '10' },
    );
  const at = await snapshots.take();
  const id = await jobs.create(caller, at, { address, request: wanted });
  await queue.add([id]);
  await auditLog.record({ requestId, action: 'export', caller, request, wanted }, 'success');
  response.set('Content-Location', statusUrl(manifest.analyticsUrl, id));
  return sendOutcome(response, 'the export is accepted: poll the URL in Content-Location');
}
