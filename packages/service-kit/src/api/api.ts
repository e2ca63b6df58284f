import { protectedResourceMetadata, requestIdOf } from '@tributary/contracts';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Logger } from 'pino';
import type { ZodType } from 'zod';
import { jsonAndForms, onlyMediaTypes } from './body-parsers';
import {
  type ApiAudit,
  CallAudit,
  type CallAttributes,
  type NoRouteAudit,
  type RouteAudit,
  recordRefused,
} from '../audit/route-audit';
import { ClientGoneError } from './client-signal';
import { compressJson } from './compression';
import {
  type ProtectedResource,
  resourceMetadata,
  resourceMetadataUrl,
  withResourceMetadata,
} from '../authentication/protected-resource';
import { anyone } from './authentication';
import { knownServiceAuthentication } from '../authentication/service-authentication';
import type { ServiceKeys } from '../config/secrets';
import { asHttpError, handleErrors } from './handle-errors';
import { crossOriginHeaders, hasClientHeaders, isCrossOrigin, sendOptions, setHeaders } from './cross-origin';
import { serveDocument, serveInternalDocument } from './openapi-route';
import type { ErrorFormat } from './error-formats';
import { HttpError, methodNotAllowed } from './http-error';
import { type ApiDescription, openApiDocument } from '../open-api/document';
import { readInput } from './read-input';
import type { AnyRoute, Handler, RouteDefinition, RouteLimit, RouteRequest, WebhookDescription } from './route';
import { securityHeaders } from './security-headers';

export interface ApiOptions extends ApiDescription {
  errorFormat: ErrorFormat;
  log: Logger;
  /** Where the calls of the routes are recorded, or why they are not. */
  audit: ApiAudit | NoRouteAudit;
  /** Parse request bodies; by default JSON and forms of at most 5 MB. */
  bodyParsers?: RequestHandler[];
  /** What happens to unknown parameters; they are refused by default. */
  unknownParameters?: 'refused' | 'ignored';
  /**
   * `false` omits `/openapi.json`; `path` is another address of it. The services that may call an internal API get its
   * document at `/internal/openapi.json` instead.
   */
  documentation?: false | { path: string } | { serviceKeys: ServiceKeys };
}

/**
 * An HTTP API as a list of routes on Express. It adds request ids and security headers, authenticates the caller,
 * validates the input, responds with 404 to unknown paths and with 405 and `Allow` to other methods, and generates the
 * OpenAPI document.
 */
export class Api {
  readonly routes: AnyRoute[] = [];
  readonly #webhooks: WebhookDescription[] = [];
  readonly #resources: ProtectedResource[] = [];
  readonly #express: Express = express();
  readonly #audit: ApiAudit | undefined;
  #built = false;

  constructor(private readonly options: ApiOptions) {
    this.#audit = 'trail' in options.audit ? options.audit : undefined;
    this.#express
      .disable('x-powered-by')
      .disable('etag')
      .enable('case sensitive routing')
      .set('query parser', 'simple');
    this.#express.use(this.#begin, securityHeaders);
  }

  /** Adds a route; the order is authentication, limits, body, unless the credentials are in the body. */
  route<
    Principal,
    Params extends ZodType | undefined = undefined,
    Query extends ZodType | undefined = undefined,
    Headers extends ZodType | undefined = undefined,
    Body extends ZodType | undefined = undefined,
  >(
    definition: RouteDefinition<Principal, Params, Query, Headers, Body>,
    handler: Handler<Principal, Params, Query, Headers, Body>,
  ): this {
    const route = definition as unknown as AnyRoute;
    const event = this.#eventOf(route);
    this.routes.push(route);
    const path = expressPath(definition.path);
    const crossOrigin = isCrossOrigin(definition.authentication);
    const begin: RequestHandler = (request, response, next) => {
      response.locals['route'] = definition.path;
      response.locals['isSafe'] = definition.method === 'get' || definition.isSafe === true;
      if (crossOrigin && !hasClientHeaders(request.headers)) setHeaders(response, crossOriginHeaders);
      next();
    };
    const authenticate: RequestHandler = async (request, response, next) => {
      response.locals['principal'] = await definition.authentication.authenticate(
        request,
        requestIdOfResponse(response),
      );
      next();
    };
    const handle: RequestHandler = async (request, response) => {
      const shared = {
        principal: response.locals['principal'] as unknown,
        request,
        response,
        requestId: requestIdOfResponse(response),
      };
      const audit = this.#audit;
      const isRecorded = audit && event && !audit.trail.keepsNothing;
      const record = isRecorded ? new CallAudit(audit, event, shared) : undefined;
      response.locals['hasEvent'] = record !== undefined;
      const body = await recorded(record, response, async () =>
        handler({
          ...readInput(request, route, this.options.unknownParameters),
          ...shared,
          log: this.options.log,
          audit: (attributes: CallAttributes) => record?.add(attributes),
        } as unknown as RouteRequest<Principal, Params, Query, Headers, Body>),
      );
      if (response.headersSent) return;
      if (body !== undefined) response.json(body);
      else if (event) response.end();
    };
    const { readsBody } = definition.authentication;
    const usualParsers = readsBody ? jsonAndForms : onlyMediaTypes(definition.bodyTypes);
    const parsers = definition.method === 'get' ? [] : (this.options.bodyParsers ?? usualParsers);
    const limitsThat = (runs: RouteLimit['runs']): RequestHandler[] =>
      (definition.limits ?? []).filter((limit) => limit.runs === runs).map(({ handle: check }) => check);
    const ofAddress = limitsThat('before authentication');
    const ofCaller = limitsThat('after authentication');
    const middleware = readsBody
      ? [...ofAddress, ...parsers, authenticate, ...ofCaller]
      : [...ofAddress, authenticate, ...ofCaller, ...parsers];
    const compression = crossOrigin ? [compressJson] : [];
    this.#express[definition.method](path, begin, ...compression, ...middleware, handle);
    return this;
  }

  /** Documents a request that the service sends to its clients. */
  describeWebhook(description: WebhookDescription): this {
    this.#webhooks.push(description);
    return this;
  }

  /** Serves the metadata of a protected resource (RFC 9728), and names it in the challenges of the routes below it. */
  protect(resource: ProtectedResource): this {
    this.#resources.push(resource);
    const { pathname } = new URL(resourceMetadataUrl(resource.url));
    return this.route(
      {
        method: 'get',
        path: pathname,
        operationId: `describeResource${this.#resources.length}`,
        summary: `Where the tokens for this resource come from: ${resource.name}`,
        tags: ['Discovery'],
        authentication: anyone,
        responses: { 200: { description: 'The metadata of RFC 9728.', schema: protectedResourceMetadata } },
      },
      () => resourceMetadata(resource),
    );
  }

  /** Builds the Express application. Routes that are added later have no effect. */
  express(): Express {
    if (this.#built) return this.#express;
    this.#built = true;
    this.#serveDocument();
    for (const [path, methods] of this.#methodsByPath()) {
      const crossOrigin = methods.flatMap((method) => (method.isCrossOrigin ? [method.name] : []));
      const names = methods.map(({ name }) => name);
      this.#express.all(expressPath(path), (request, response) => {
        response.locals['route'] = path;
        if (request.method === 'OPTIONS') {
          sendOptions(request, response, names, crossOrigin);
          return;
        }
        if (crossOrigin.length > 0 && !hasClientHeaders(request.headers)) setHeaders(response, crossOriginHeaders);
        throw methodNotAllowed(names);
      });
    }
    this.#express.use(({ path }) => {
      throw new HttpError('not_found', `there is nothing at this address${this.#hintFor(path)}`);
    });
    this.#express.use(this.#recordRefused, this.#nameResource);
    this.#express.use(handleErrors(this.options.errorFormat, this.options.log));
    return this.#express;
  }

  /** @throws Error when the API is audited, and the route does not state what is recorded about its calls */
  #eventOf({ method, path, audit, authentication }: AnyRoute): RouteAudit | undefined {
    if (this.#audit && !audit && authentication !== anyone)
      throw new Error(`the route ${method} ${path} names no audit event, and does not state why it has none`);
    return audit && 'kind' in audit ? audit : undefined;
  }

  #serveDocument(): void {
    const { documentation = { path: '/openapi.json' } } = this.options;
    if (documentation === false) return;
    // Building it takes longer than all else that a start of a service computes.
    let built: object | undefined;
    const document = (): object => (built ??= openApiDocument(this.options, this.routes, this.#webhooks));
    if ('path' in documentation) serveDocument(this.#express, documentation.path, document);
    else serveInternalDocument(this.#express, document, knownServiceAuthentication(documentation.serviceKeys));
  }

  readonly #recordRefused: ErrorRequestHandler = async (error: unknown, request, response, next) => {
    if (this.#audit && !response.locals['hasEvent']) await recordRefused(this.#audit, error, request);
    next(error);
  };

  readonly #nameResource: ErrorRequestHandler = (error: unknown, request, _response, next) => {
    const resource = this.#resources.find(({ url }) => request.path.startsWith(new URL(url).pathname));
    if (!resource || !(error instanceof HttpError)) return next(error);
    next(new HttpError(error.errorCode, error.message, withResourceMetadata(error.headers, resource.url)));
  };

  /** A route whose path differs in upper and lower case only; the hint has its pattern, and nothing that was sent. */
  #hintFor(path: string): string {
    const segments = path.toLowerCase().split('/');
    const near = this.routes.find((route) => {
      const expected = route.path.split('/');
      return (
        expected.length === segments.length &&
        expected.every((each, at) => each.startsWith('{') || each.toLowerCase() === segments[at])
      );
    });
    return near ? `; did you mean ${near.path}? Paths are case-sensitive` : '';
  }

  #methodsByPath(): Map<string, { name: string; isCrossOrigin: boolean }[]> {
    const methods = new Map<string, { name: string; isCrossOrigin: boolean }[]>();
    for (const { path, method, authentication } of this.routes) {
      const known = methods.get(path) ?? [];
      for (const name of method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])
        known.push({ name, isCrossOrigin: isCrossOrigin(authentication) });
      methods.set(path, known);
    }
    return methods;
  }

  /**
   * Assigns the request id, and logs route pattern, status and time when the response is closed. The URL itself can
   * contain tokens and is never logged.
   */
  readonly #begin: RequestHandler = (request: Request, response: Response, next) => {
    const started = performance.now();
    const requestId = requestIdOf(request.headers['x-request-id']);
    response.locals['requestId'] = requestId;
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('Cache-Control', 'no-store');
    response.once('close', () => {
      const ms = Math.round((performance.now() - started) * 10) / 10;
      const level = response.statusCode >= 500 ? 'error' : 'info';
      this.options.log[level](
        {
          requestId,
          method: request.method,
          route: response.locals['route'] ?? 'none',
          status: response.statusCode,
          ms,
          ...(response.writableFinished ? {} : { aborted: true }),
        },
        'request',
      );
    });
    next();
  };
}

/** Handles a call, and records how it ended. @throws what the handler throws, or AuditUnavailable */
async function recorded<T>(record: CallAudit | undefined, response: Response, handle: () => Promise<T>): Promise<T> {
  if (!record) return handle();
  let body: T;
  try {
    body = await handle();
  } catch (error) {
    if (error instanceof ClientGoneError) record.aborted();
    else await record.failed(asHttpError(error, response.req.method === 'GET' || response.req.method === 'HEAD'));
    throw error;
  }
  await record.succeeded(response.statusCode);
  return body;
}

/** The request id that `Api` has assigned. */
function requestIdOfResponse(response: Response): string {
  return String(response.locals['requestId'] ?? '');
}

function expressPath(path: string): string {
  return path
    .replaceAll(/\{(\w+)\}/g, ':$1')
    .replaceAll(/\{(\w+)\*\}/g, '*$1')
    .replaceAll('$', '\\$');
}
