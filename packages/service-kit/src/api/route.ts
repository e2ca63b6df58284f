import type { ErrorCode } from '@tributary/contracts';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { ZodObject, ZodType, z } from 'zod';
import type { CallAttributes, NoRouteAudit, RouteAudit } from '../audit/route-audit';
import type { ResponseHeader } from '../open-api/headers';
import type { SecurityRequirement } from '../open-api/security';
import type { Authentication } from './authentication';

type Output<T> = T extends ZodType ? z.output<T> : undefined;

export interface RouteResponse {
  description: string;
  schema?: ZodType;
  /** `application/json` by default. */
  contentType?: string;
  /** Headers beside `X-Request-Id` and those of errors and rate limits. */
  headers?: readonly ResponseHeader[];
  /** By default it is made of the examples in the schema. */
  example?: unknown;
  /**
   * The codes of the error catalogue that an error response can have; by default those of middleware. There is an
   * example of each.
   */
  codes?: readonly ErrorCode[];
}

/** The inputs of an example request. */
export interface RouteExample {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, unknown>;
  body?: unknown;
}

/** A limit of the requests to a route. */
export interface RouteLimit {
  /** A limit of addresses runs before the authentication, one of callers after it. */
  runs: 'before authentication' | 'after authentication';
  /** Passes an error of status 429 on when the limit is exceeded. */
  handle: RequestHandler;
  /** The headers that it adds to responses. */
  headers: readonly ResponseHeader[];
}

/** One route. Its schemas are the source of the types, the validation and the documentation. */
export interface RouteDefinition<Principal, Params, Query, Headers, Body> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** A route changes nothing although its method is not GET: it can be repeated whatever has happened to it. */
  isSafe?: true;
  /**
   * With parameters in braces, as OpenAPI writes them: `/connect/v1/connections/{connection_id}`. With an asterisk, the
   * last one takes all segments that remain: `/files/{path*}`.
   */
  path: string;
  operationId: string;
  summary: string;
  description?: string;
  tags?: readonly string[];
  authentication: Authentication<Principal>;
  /**
   * What the audit log records about each call, before its response is sent. An API that is audited refuses a route
   * without it, unless anyone may call the route: such a route accesses no data of a user.
   */
  audit?: RouteAudit | NoRouteAudit;
  /** Rate limits; they run before the input is read. */
  limits?: readonly RouteLimit[];
  params?: Params;
  query?: Query;
  headers?: Headers;
  /** The schema of a JSON or form body. */
  body?: Body;
  /** The media types of the body: by default JSON and forms. An API without parsers of its own refuses others. */
  bodyTypes?: readonly string[];
  /** A schema that describes the body more precisely than the one that reads it. */
  documentedBody?: ZodType;
  /** The documented alternatives of credentials, where the authentication accepts more than its scheme says. */
  documentedSecurity?: readonly SecurityRequirement[];
  /** Inputs that succeed, with the values of `exampleValues` in contracts for what differs between callers. */
  example?: RouteExample;
  /** Several example bodies by name, in place of the one in `example`. */
  bodyExamples?: Record<string, unknown>;
  /** Browsers get errors as pages. */
  htmlErrors?: true;
  responses: Record<number, RouteResponse>;
}

/** A route with any principal and any schemas. */
export type AnyRoute = RouteDefinition<
  unknown,
  ZodType | undefined,
  ZodType | undefined,
  ZodType | undefined,
  ZodType | undefined
>;

/** A request that this service sends to subscribers, as the OpenAPI document describes it. */
export interface WebhookDescription {
  name: string;
  summary: string;
  description: string;
  headers: ZodObject;
  body: ZodType;
  /** By default it is made of the examples in the schema of the body. */
  example?: unknown;
  /** The responses of the receiver and their effect, by status. */
  responses: Record<string, { description: string }>;
}

/** A request whose caller is authenticated and whose inputs are validated. */
export interface RouteRequest<Principal, Params, Query, Headers, Body> {
  principal: Principal;
  params: Output<Params>;
  query: Output<Query>;
  headers: Output<Headers>;
  body: Output<Body>;
  request: Request;
  response: Response;
  requestId: string;
  log: Logger;
  /** Adds to the audit event of the call, if its route has one. */
  audit(attributes: CallAttributes): void;
}

/**
 * Handles a request. The result is sent as JSON with status 200; `undefined` means that the handler has sent the
 * response itself, or has set its status, if it is to have no body.
 */
export type Handler<Principal, Params, Query, Headers, Body> = (
  request: RouteRequest<Principal, Params, Query, Headers, Body>,
) => Promise<object | undefined> | object | undefined;
