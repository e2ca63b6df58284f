import { parentPort } from 'node:worker_threads';
import { objectStorageFrom } from '@tributary/object-storage';
import type { RecordStorage } from '@tributary/record-storage';
import { ClientGoneError, createLog, describeError, openPool, readConfig } from '@tributary/service-kit';
import { PartialBundleError } from '../bundles/partial-bundle-error';
import { fhirStoreConfig } from '../config';
import { fhirStoreSchema } from '../database/migrate';
import { openStorage } from '../database/open-storage';
import { asFhirError } from '../fhir-http/error-mapping';
import { FhirError } from '../fhir-http/fhir-error';
import type { FhirRequest } from '../fhir-http/fhir-request';
import type { FhirResponse } from '../fhir-http/fhir-response';
import { PageTokens } from '../fhir-http/page-tokens';
import { bodyOf } from '../fhir-http/request-body';
import { MaintenanceLoop } from '../maintenance/maintenance';
import { routeOfRequest } from '../routing/request-route';
import {
  type FromThread,
  type ThreadFailure,
  type ThreadRequest,
  type ThreadResponse,
  type ToThread,
  bufferOf,
  movable,
} from './messages';

/** Two Bundles with four entries at a time each, and two others: what `LongWorkThread` lets run, or the maintenance. */
const connections = 10;

/** The thread that `LongWorkThread` starts. */
const port = parentPort;
if (!port) throw new Error('this file is a thread of fhir-store');

const config = readConfig(fhirStoreConfig);
const log = createLog('fhir-store', config.LOG_LEVEL);
const pool = openPool({ ...config, DATABASE_POOL_SIZE: connections }, fhirStoreSchema, { log });
const storage = openStorageOfThread();
const maintenance = startMaintenance();
const pages = new PageTokens(config.PAGE_TOKEN_KEY);
const running = new Map<number, { abort: AbortController; counted?: (areAllowed: boolean) => void }>();

port.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'run':
      return void run(message.id, message.request);
    case 'cancel':
      return running.get(message.id)?.abort.abort(new ClientGoneError());
    case 'counted':
      return running.get(message.id)?.counted?.(message.areAllowed);
    case 'stop':
      return void stop();
  }
});

post({ kind: 'started' });

async function openStorageOfThread(): Promise<RecordStorage> {
  const objects = await objectStorageFrom(config);
  const opened = await openStorage(config, pool, { log, pipelining: false, objects });
  return opened.storage;
}

async function run(id: number, request: ThreadRequest): Promise<void> {
  const abort = new AbortController();
  running.set(id, { abort });
  try {
    const fhirRequest = await fhirRequestOf(id, request, abort.signal);
    const { method, release, segments } = request;
    const response = await routeOfRequest(release, method, segments).run(fhirRequest);
    respond(id, threadResponse(response));
  } catch (error) {
    post({ kind: 'failed', id, failure: threadFailure(error, request) });
  } finally {
    running.delete(id);
  }
}

async function fhirRequestOf(id: number, request: ThreadRequest, signal: AbortSignal): Promise<FhirRequest> {
  const content = bufferOf(request.content);
  return {
    ...request,
    base: `${config.BASE_URL}/${request.release}`,
    authUrl: config.AUTH_URL,
    record: (await storage).record(request.serviceUserId, request.clientId, signal),
    pages,
    query: new URLSearchParams(request.search),
    countEntries: (routes) => countEntries(id, routes),
    ...bodyOf(request, () => Promise.resolve(content)),
  };
}

/** The main thread counts, and knows the error that the user gets. */
async function countEntries(id: number, routes: readonly string[]): Promise<void> {
  const request = running.get(id);
  if (!request) return;
  const counted = new Promise<boolean>((resolve) => (request.counted = resolve));
  post({ kind: 'count', id, routes });
  if (!(await counted)) throw new FhirError(429, 'the entries exceed a limit of the user', 'throttled');
}

function threadResponse({ native, ...response }: FhirResponse): ThreadResponse {
  if (!native) return response;
  const { id, contentType, securityContext, length, reference } = native;
  const described = { id, contentType, securityContext, ...(reference === undefined ? {} : { reference }) };
  return { ...response, native: { ...described, content: Buffer.concat([...native.bytes(0, length)]) } };
}

function threadFailure(error: unknown, { isSafe, requestId }: ThreadRequest): ThreadFailure {
  const known = asFhirError(error, isSafe);
  if (known.status >= 500 && !(error instanceof ClientGoneError))
    log.error({ requestId, err: describeError(error) }, 'a large request failed');
  return {
    status: known.status,
    issues: known.issues,
    headers: known.headers,
    ...(error instanceof PartialBundleError ? { partial: error.access } : {}),
  };
}

/** The memory of the response is moved to the main thread, and not copied. */
function respond(id: number, response: ThreadResponse): void {
  const { body, native } = response;
  const bytes = native?.content ?? (typeof body === 'string' ? undefined : body);
  port?.postMessage({ kind: 'responded', id, response } satisfies FromThread, bytes ? movable(bytes) : []);
}

function post(message: FromThread): void {
  port?.postMessage(message);
}

/** The replicas of an earlier version, which index by other rules, have ended by then. */
const reindexAfterMs = 600_000;

async function startMaintenance(): Promise<MaintenanceLoop> {
  const loop = new MaintenanceLoop({ storage: await storage, pool, log, reindexAfterMs });
  loop.start();
  return loop;
}

async function stop(): Promise<void> {
  await (await maintenance).stop();
  await (await storage).close();
  await pool.end();
  process.exit();
}
