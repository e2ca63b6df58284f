import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { AuditTrail } from '@tributary/audit-log';
import { mayWrite, requestIdOf } from '@tributary/contracts';
import { type Release, isRelease } from '@tributary/fhir-definitions';
import { stringifyJson } from '@tributary/fhir-json';
import type { RecordStorage } from '@tributary/record-storage';
import {
  type AccessTokens,
  type AuthenticatedUser,
  ClientCancellation,
  ClientGoneError,
  type ContentEncoding,
  bearerChallenge,
  bearerTokenOf,
  compress,
  contentEncodingOf,
  crossOriginHeaders,
  dataSecurityHeaders,
  describeError,
  etagOf,
  nameRoute,
  preflightHeaders,
  type RateLimitFields,
  rateLimitFields,
  takeAll,
  withResourceMetadata,
} from '@tributary/service-kit';
import type { Logger } from 'pino';
import { AccessRecord } from '../audit/access-record';
import type { ContentLimits } from '../fhir-http/limits';
import type { PageTokens } from '../fhir-http/page-tokens';
import type { FhirResponse } from '../fhir-http/fhir-response';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { FhirError, outcomeOf } from '../fhir-http/fhir-error';
import { asFhirError } from '../fhir-http/error-mapping';
import {
  type ResponseFormat,
  fhirVersionParameter,
  isJson,
  mediaType,
  nativeFormat,
  requestedFormat,
  negotiateFormat,
} from '../fhir-http/content-negotiation';
import { ShortWork, shortParsing, shortReading } from '../fhir-http/long-work';
import { bodyOf, readBytes, uploadBody } from '../fhir-http/request-body';
import type { LongWorkThread } from '../long-work/long-work-thread';
import { isSafe } from '../routing/is-safe';
import { routeOfRequest } from '../routing/request-route';
import type { Route } from '../routing/routes';
import { storedPath } from '../resources/stored-path';
import { carryOut } from './carry-out';
import { type StreamedBody, streamedBody } from './response-body';
import { type FhirLimits, costOfEntries, costOfRoute, limitsOf } from './fhir-limits';

export interface FhirEndpointDependencies {
  /** The public base URL of the releases. */
  baseUrl: string;
  /** The issuer of the access tokens. */
  authUrl: string;
  storage: RecordStorage;
  /** Where requests are carried out whose work can take long; without it, in this thread. */
  thread?: LongWorkThread | undefined;
  tokens: AccessTokens;
  limits: FhirLimits;
  contentLimits: ContentLimits;
  pages: PageTokens;
  audit: AuditTrail;
  /** The proxies whose `X-Forwarded-For` tells the address of the client. */
  trustedProxies: BlockList;
  log: Logger;
}

/** What is known of a request when its response is sent. */
interface Exchange {
  readonly requestId: string;
  readonly release: Release;
  /** The path below the release, with types of the release. */
  segments: readonly string[];
  /** For the log. */
  route: string;
  /** The `RateLimit` headers of the response. */
  rateLimit: RateLimitFields;
  readonly access: AccessRecord;
  /** Deletes the content that the request has uploaded, unless a version refers to it. */
  discardUpload?: () => Promise<void>;
}

const securityHeaders = ['Cache-Control', 'no-store', ...dataSecurityHeaders, ...crossOriginHeaders];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Serves all paths below /dstu2, /stu3 and /r4, and passes other paths and discovery documents to another listener
 * (https://hl7.org/fhir/R4/http.html). It is called before Express and has its own router, because Express would take
 * as much time as the database takes to read a resource.
 */
export function fhirEndpoint(dependencies: FhirEndpointDependencies, others: RequestListener): RequestListener {
  return (request, response) => {
    const { url = '/' } = request;
    const queryAt = url.indexOf('?');
    const path = queryAt < 0 ? url : url.slice(0, queryAt);
    const [, name, ...rest] = path.split('/');
    if (!isRelease(name) || rest[0] === '.well-known') {
      others(request, response);
      return;
    }
    const exchange: Exchange = {
      requestId: requestIdOf(request.headers['x-request-id']),
      release: name,
      segments: [],
      route: name,
      rateLimit: {},
      access: new AccessRecord(dependencies.audit, request, dependencies.trustedProxies),
    };
    logAtEnd(dependencies.log, exchange, request, response);
    if (request.method === 'OPTIONS') {
      sendOptions(request, response, exchange);
      return;
    }
    void handleRequest(dependencies, exchange, request, response, rest, queryAt < 0 ? '' : url.slice(queryAt + 1));
  };
}

/** Responds to OPTIONS, which carries no credentials when a browser sends it as a preflight request. */
function sendOptions(request: IncomingMessage, response: ServerResponse, { requestId }: Exchange): void {
  const headers = [...dataSecurityHeaders, 'X-Request-Id', requestId, 'Allow', [...methods, 'OPTIONS'].join(', ')];
  response.writeHead(204, [...headers, ...preflightHeaders(methods, request.headers)]).end();
}

async function handleRequest(
  dependencies: FhirEndpointDependencies,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  path: string[],
  search: string,
): Promise<void> {
  let streamed: StreamedBody | undefined;
  try {
    const query = new URLSearchParams(search);
    const negotiated = negotiateFormat(exchange.release, request.headers.accept, query.get('_format'));
    const refusal = negotiated instanceof FhirError ? negotiated : undefined;
    const form = negotiated instanceof FhirError ? nativeFormat[exchange.release] : negotiated;
    const route = findRoute(exchange, request, path, form);
    nameRoute(response, exchange.route);
    if (refusal && !route.servesNative) throw refusal;
    const fhirRequest = await fhirRequestOf(dependencies, exchange, request, response, route, query, form, refusal);
    const result = await carryOut(dependencies.thread, fhirRequest, {
      request,
      response,
      requestId: exchange.requestId,
      route,
      segments: exchange.segments,
      clientId: exchange.access.user?.clientId ?? '',
      isSafe: isSafeRequest(request),
    });
    streamed = await streamedBody(request, fhirRequest.record, result);
    await exchange.access.succeeded(result);
    if (streamed) sendStreamed(response, exchange, result, streamed, form.contentType);
    else send(response, exchange, result, form.contentType);
  } catch (error) {
    void streamed?.close().catch(() => undefined);
    const shown = await exchange.access.failed(error, isSafeRequest(request));
    sendError(dependencies, response, exchange, shown);
  } finally {
    // What is left of a failure, the maintenance deletes.
    void exchange.discardUpload?.().catch(() => undefined);
  }
}

function findRoute(exchange: Exchange, request: IncomingMessage, path: string[], form: ResponseFormat): Route {
  const segments = path.map(decodeURIComponent);
  if (segments.at(-1) === '') segments.pop();
  const isConverted = form.release !== exchange.release;
  const { method = 'GET' } = request;
  exchange.segments = isConverted ? storedPath(exchange.release, segments) : segments;
  const route = routeOfRequest(exchange.release, method, exchange.segments);
  exchange.route = `${exchange.release} ${route.name}`;
  if (!route.isPublic) {
    const { release, requestId } = exchange;
    exchange.access.begin({ method, release, route: route.name, segments }, requestId);
  }
  if (isConverted && !route.converts)
    throw new FhirError(
      406,
      `only reads and searches are available in other releases; the release of this address is ${fhirVersionParameter(exchange.release)}`,
      'not-supported',
    );
  return route;
}

async function fhirRequestOf(
  dependencies: FhirEndpointDependencies,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
  route: Route,
  query: URLSearchParams,
  form: ResponseFormat,
  refusal: FhirError | undefined,
): Promise<FhirRequest> {
  const { baseUrl, authUrl, storage, tokens, limits, contentLimits, pages } = dependencies;
  const { headers } = request;
  const { release, requestId } = exchange;
  const contentType = headers['content-type'] === undefined ? undefined : mediaType(headers['content-type']);
  const user = route.isPublic ? nobody : await userOf(request, tokens, requestId);
  const { serviceUserId, clientId, developer } = user;
  exchange.access.user = { serviceUserId, clientId, ...(developer === undefined ? {} : { developer }) };
  const count = async (cost: number): Promise<void> => {
    if (cost > 0) exchange.rateLimit = rateLimitFields(await takeAll(limitsOf(limits, user), cost));
  };
  if (!route.isPublic) {
    await count(costOfRoute(route.name));
    limits.concurrent.begin(serviceUserId, response);
  }
  // A request that changes something must not be begun twice.
  const isLimited = dependencies.thread !== undefined && isSafeRequest(request);
  const record = storage.record(
    serviceUserId,
    clientId,
    new ClientCancellation(response),
    isLimited ? new ShortWork(shortReading) : undefined,
  );
  const isUpload =
    record.storesContent &&
    exchange.segments[0] === 'Binary' &&
    (route.name === '{type}' || route.name === '{type}/{id}') &&
    (request.method === 'POST' || request.method === 'PUT') &&
    contentType !== undefined &&
    !isJson(contentType) &&
    headers['content-encoding'] === undefined &&
    // Criteria are decided on the content of candidates, in the thread.
    headers['if-none-exist'] === undefined &&
    (request.method === 'POST' || route.name === '{type}/{id}');
  return {
    release,
    responseRelease: form.release,
    base: `${baseUrl}/${release}`,
    authUrl,
    record,
    mayWrite: user.mayWrite,
    parsing: isLimited ? new ShortWork(shortParsing) : undefined,
    pages,
    contentLimits,
    // Node joins the values of a repeated header, except for Set-Cookie.
    headers: {
      ifMatch: headers['if-match'],
      ifNoneMatch: headers['if-none-match'],
      ifModifiedSince: headers['if-modified-since'],
      ifNoneExist: headers['if-none-exist'] as string | undefined,
      prefer: headers['prefer'] as string | undefined,
      securityContext: headers['x-security-context'] as string | undefined,
    },
    query,
    contentType,
    fullContentType: headers['content-type'],
    native: {
      accept: requestedFormat(headers.accept, query.get('_format')),
      ...(refusal ? { refusal: { status: refusal.status, message: refusal.message } } : {}),
    },
    countEntries: (routes) => count(costOfEntries(routes)),
    uploaded: isUpload
      ? async () => {
          const body = await uploadBody(request, record, contentLimits.storedBytes);
          if (typeof body === 'string') exchange.discardUpload = () => record.discardContent(body);
          return body;
        }
      : undefined,
    ...bodyOf({ release, contentType, fullContentType: headers['content-type'] }, () => readBytes(request, response)),
  };
}

type Caller = Omit<AuthenticatedUser, 'mode'>;

const nobody: Caller = { serviceUserId: 0, clientId: '', mayWrite: false };

async function userOf(request: IncomingMessage, tokens: AccessTokens, requestId: string): Promise<Caller> {
  const token = bearerTokenOf(request);
  if (token === undefined) throw bearerChallenge(false);
  const live = await tokens.resolve(token, requestId, request);
  if (live?.service_user_id === undefined) throw bearerChallenge(true);
  const { service_user_id: serviceUserId, client_id: clientId, scope, developer } = live;
  return { serviceUserId, clientId, mayWrite: mayWrite(scope), ...(developer === undefined ? {} : { developer }) };
}

/** The headers of every response, as names and values in turn. */
function headersOf({ requestId, rateLimit }: Exchange): string[] {
  const headers = [...securityHeaders, 'X-Request-Id', requestId];
  for (const name in rateLimit) headers.push(name, rateLimit[name as keyof RateLimitFields] as string);
  return headers;
}

function send(response: ServerResponse, exchange: Exchange, result: FhirResponse, contentType: string): void {
  const body = typeof result.body === 'string' ? Buffer.from(result.body) : result.body;
  const encoding = body && contentEncodingOf(response.req.headers['accept-encoding'], body.length);
  if (!encoding) return write(response, exchange, result, contentType, body);
  const sendCompressed = (compressed: Buffer): void =>
    write(response, exchange, result, contentType, compressed, encoding);
  const compressed = compress(body, encoding);
  if (Buffer.isBuffer(compressed)) sendCompressed(compressed);
  else compressed.then(sendCompressed, () => response.destroy());
}

/** The ETag is weak and names the version, so it is the same with and without a content coding. */
function write(
  response: ServerResponse,
  exchange: Exchange,
  result: FhirResponse,
  contentType: string,
  body: Buffer | undefined,
  encoding?: ContentEncoding,
): void {
  const headers = headersOf(exchange);
  if (body !== undefined)
    headers.push('Content-Type', contentType, 'Content-Length', String(body.length), 'Vary', 'Accept, Accept-Encoding');
  else if (result.status !== 204 && result.status !== 304) headers.push('Content-Length', '0');
  if (encoding !== undefined) headers.push('Content-Encoding', encoding);
  headers.push(...versionHeaders(result));
  if (result.location !== undefined) headers.push('Location', result.location);
  response.writeHead(result.status, headers).end(body);
}

/** Sends the content of a Binary in its own media type, or in JSON, while it is read. */
function sendStreamed(
  response: ServerResponse,
  exchange: Exchange,
  result: FhirResponse,
  { length, pieces, native, close }: StreamedBody,
  contentType: string,
): void {
  const headers = headersOf(exchange);
  const own = native?.headers ?? ['Content-Type', contentType, 'Content-Length', String(length), 'Vary', 'Accept'];
  const shared = headers.filter((_value, at) => !own.includes(headers[at - (at % 2)] as string));
  const location = result.location === undefined ? [] : ['Location', result.location];
  response.writeHead(native?.status ?? result.status, [...shared, ...versionHeaders(result), ...location, ...own]);
  if (response.req.method === 'HEAD') {
    response.end();
    return;
  }
  // The pipeline fails when the client disconnects, which the log of the request notes. It may not have begun to read.
  void pipeline(pieces, response)
    .catch(() => undefined)
    .finally(() => void close().catch(() => undefined));
}

function versionHeaders({ version, lastUpdated }: FhirResponse): string[] {
  return [
    ...(version === undefined ? [] : ['ETag', etagOf(version)]),
    ...(lastUpdated === undefined ? [] : ['Last-Modified', new Date(lastUpdated).toUTCString()]),
  ];
}

function sendError(
  { log, baseUrl }: FhirEndpointDependencies,
  response: ServerResponse,
  exchange: Exchange,
  error: unknown,
): void {
  if (error instanceof ClientGoneError) {
    response.destroy();
    return;
  }
  const { requestId, release, route } = exchange;
  const known = asFhirError(error, isSafeRequest(response.req));
  if (known.status >= 500) log.error({ requestId, route, err: describeError(error) }, known.message);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const body = Buffer.from(stringifyJson(outcomeOf(release, known.issues)));
  const contentType = nativeFormat[release].contentType;
  const headers = [
    ...headersOf(known.headers['RateLimit'] === undefined ? exchange : { ...exchange, rateLimit: {} }),
    'Content-Type',
    contentType,
    'Content-Length',
    String(body.length),
    ...Object.entries(withResourceMetadata(known.headers, `${baseUrl}/${release}`)).flat(),
  ];
  response.writeHead(known.status, headers).end(body);
}

function isSafeRequest({ method = 'GET', url = '/' }: IncomingMessage): boolean {
  return isSafe(method, url.split('?', 1)[0] ?? '');
}

/** Logs route pattern, status and duration; never the URL, which can contain clinical values. */
function logAtEnd(log: Logger, exchange: Exchange, request: IncomingMessage, response: ServerResponse): void {
  const started = performance.now();
  response.once('close', () => {
    const { statusCode: status } = response;
    const ms = Math.round((performance.now() - started) * 10) / 10;
    log[status >= 500 ? 'error' : 'info'](
      {
        requestId: exchange.requestId,
        method: request.method,
        route: exchange.route,
        status,
        ms,
        ...(response.writableFinished ? {} : { aborted: true }),
      },
      'request',
    );
  });
}
