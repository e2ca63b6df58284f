import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { ZodObject, ZodType, z } from 'zod';
import type { Authentication } from './authentication';

type Output<T> = T extends ZodType ? z.output<T> : undefined;

export interface RouteResponse {
  description: string;
  schema?: ZodType;
  /** `application/json` unless said otherwise. */
  contentType?: string;
}

/** One route: its schema serves types, validation and documentation alike. */
export interface RouteDefinition<Principal, Params, Query, Headers, Body> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With parameters in braces, as OpenAPI writes them: `/connect/v1/connections/{connection_id}`. */
  path: string;
  operationId: string;
  summary: string;
  description?: string;
  tags?: string[];
  authentication: Authentication<Principal>;
  /** Runs once the caller is known and before input is read: rate limits. */
  limits?: RequestHandler[];
  params?: Params;
  query?: Query;
  headers?: Headers;
  /** Of a form or JSON body. */
  body?: Body;
  responses: Record<number, RouteResponse>;
}

/** A call that this service makes to whoever has asked for it, as OpenAPI documents it. */
export interface WebhookDescription {
  name: string;
  summary: string;
  description: string;
  headers: ZodObject;
  body: ZodType;
  /** What the receiver may answer, and what that does. */
  responses: Record<string, { description: string }>;
}

export interface Call<Principal, Params, Query, Headers, Body> {
  principal: Principal;
  params: Output<Params>;
  query: Output<Query>;
  headers: Output<Headers>;
  body: Output<Body>;
  request: Request;
  response: Response;
  requestId: string;
  log: Logger;
}

/** Answers a call: what it returns is sent as JSON with status 200; `undefined` means that it has answered itself. */
export type Handler<Principal, Params, Query, Headers, Body> = (
  call: Call<Principal, Params, Query, Headers, Body>,
) => Promise<object | undefined> | object | undefined;
