import { exportManifest, exportPath, operationOutcome } from '@tributary/contracts';
import { ExportTooLargeError } from '@tributary/record-storage';
import { type AnyRoute, type Api, ClientGoneError, HttpError, badRequest, clientSignal } from '@tributary/service-kit';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { countsOf } from '../audit/audit-log';
import { type ExportCaller, allUsers, scopeOf, withinScope } from '../callers/export-caller';
import type { Dependencies } from '../dependencies';
import { informational, sendOutcome, statusUrl } from '../jobs/status-routes';
import { type ExportRequest, type ParameterPairs, readExportRequest } from '../requests/export-request';
import { bodyPairs, parametersBody, queryPairs } from '../requests/parameters-body';
import { readPreferences } from '../requests/preferences';
import { ClientSlots } from '../slots/client-slots';
import { manifestOf } from './manifest';

/** Synchronous exports that one replica plans at once. */
const maxSynchronousPlans = 8;
/** Asynchronous exports of one user or client that may be unfinished at once. */
export const maxUnfinished = 10;

const values = z.union([z.string(), z.array(z.string())]).optional();
const texts = values.meta({ documented: { type: 'array', items: { type: 'string' } } });
const text = values.meta({ documented: { type: 'string' } });

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
  'x-service-user-id': allUsers,
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
export function serveExports(api: Api, dependencies: Dependencies): void {
  const slots = new ClientSlots(maxSynchronousPlans);
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
  /** Responds, and records a failed export in the audit log; a successful one is recorded with its content. */
  const kickOff = async (pairs: ParameterPairs, call: ExportCall, inBody = false): Promise<object | undefined> => {
    const preferences = readPreferences(call.request.get('prefer'));
    const wanted = readExportRequest(pairs, preferences, inBody);
    try {
      const covered = withinScope(call.principal, wanted);
      return await (preferences.respondAsync
        ? begin(dependencies, covered, call)
        : respond(dependencies, slots, covered, call));
    } catch (error) {
      // The caller gets the error even when it cannot be recorded, since no data was disclosed.
      await dependencies.auditLog.record(requested(call), failedOutcome(error)).catch(() => undefined);
      throw error;
    }
  };
  for (const [name, path] of addresses) {
    const shared = {
      path,
      description,
      tags: ['Bulk export'],
      authentication: dependencies.caller,
      limits: dependencies.limits.export,
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
      (call) => kickOff(queryPairs(call.request), call),
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
      (call) => kickOff([...queryPairs(call.request), ...bodyPairs(call.request)], call, true),
    );
  }
}

interface ExportCall {
  principal: ExportCaller;
  request: Request;
  response: Response;
  requestId: string;
}

/** The audit event of a call. */
function requested({ principal: caller, request, requestId }: ExportCall) {
  return { requestId, kind: 'export.requested', caller, request } as const;
}

function failedOutcome(error: unknown): 'aborted' | 'refused' | 'failed' {
  if (error instanceof ClientGoneError) return 'aborted';
  return error instanceof HttpError && error.status < 500 ? 'refused' : 'failed';
}

/** The manifest of a synchronous export. */
async function respond(
  dependencies: Dependencies,
  slots: ClientSlots,
  wanted: ExportRequest,
  call: ExportCall,
): Promise<object> {
  const { snapshots, planner, auditLog, analyticsUrl, synchronous } = dependencies;
  const { principal, request, response } = call;
  if (wanted.lines && JSON.stringify(wanted.lines).length > maxTokenSelection)
    throw badRequest(
      '_elements, _typeFilter and patient are too long for a synchronous response: use Prefer: respond-async',
    );
  const signal = clientSignal(response);
  const { at, plan } = await slots.run(principal.clientId, async () => {
    signal.throwIfAborted();
    const taken = await snapshots.take();
    return {
      at: taken,
      plan: await planner.plan(scopeOf(principal), wanted, taken, { signal, ...synchronous }).catch(asTooLarge),
    };
  });
  const resources = countsOf([...plan.output, ...plan.deleted]);
  await auditLog.record({ ...requested(call), wanted, resources }, 'success');
  return manifestOf(plan, `${analyticsUrl}${request.originalUrl}`, at, dependencies);
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
  { snapshots, jobs, queue, auditLog, analyticsUrl }: Dependencies,
  wanted: ExportRequest,
  call: ExportCall,
): Promise<undefined> {
  const { principal: caller, request, response } = call;
  if (request.method === 'HEAD')
    throw new HttpError('method_not_allowed', 'a HEAD request does not start an export: use GET or POST', {
      Allow: 'GET, POST',
    });
  if ((await jobs.unfinishedOf(caller)) >= maxUnfinished)
    throw new HttpError(
      'too_many_exports',
      `${maxUnfinished} asynchronous exports are not finished yet: wait for them or delete them`,
      { 'Retry-After': '10' },
    );
  const at = await snapshots.take();
  const id = await jobs.create(caller, at, { address: `${analyticsUrl}${request.originalUrl}`, request: wanted });
  await queue.add([id]);
  await auditLog.record({ ...requested(call), wanted }, 'success');
  response.set('Content-Location', statusUrl(analyticsUrl, id));
  return sendOutcome(response, 'the export is accepted: poll the URL in Content-Location');
}
