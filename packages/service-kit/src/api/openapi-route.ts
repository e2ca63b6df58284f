import type { Express } from 'express';
import type { Authentication } from './authentication';
import { compressJson } from './compression';
import { crossOriginHeaders, sendOptions, setHeaders } from './cross-origin';
import { methodNotAllowed } from './http-error';

const internalPath = '/internal/openapi.json';
const methods = ['GET', 'HEAD'];

/** Serves the OpenAPI document to pages of any origin. */
export function serveDocument(app: Express, path: string, document: () => object): void {
  app.get(path, compressJson, (_request, response) => {
    response.locals['route'] = path;
    setHeaders(response, crossOriginHeaders);
    response.json(document());
  });
  app.options(path, (request, response) => {
    response.locals['route'] = path;
    sendOptions(request, response, methods, methods);
  });
  app.all(path, () => {
    throw methodNotAllowed(methods);
  });
}

/** Serves the OpenAPI document of an internal API at `/internal/openapi.json`, to those who may call the API. */
export function serveInternalDocument(app: Express, document: () => object, callers: Authentication<string>): void {
  app.all(internalPath, async (request, response) => {
    response.locals['route'] = internalPath;
    await callers.authenticate(request, String(response.locals['requestId']));
    if (!methods.includes(request.method)) throw methodNotAllowed(methods);
    response.json(document());
  });
}
