import type { Express } from 'express';
import { compressJson } from './compression';
import { crossOriginHeaders, sendOptions, setHeaders } from './cross-origin';
import { methodNotAllowed } from './http-error';

const path = '/openapi.json';
const methods = ['GET', 'HEAD'];

/** Serves the OpenAPI document at `/openapi.json`, to pages of any origin. */
export function serveDocument(app: Express, document: object): void {
  app.get(path, compressJson, (_request, response) => {
    response.locals['route'] = path;
    setHeaders(response, crossOriginHeaders);
    response.json(document);
  });
  app.options(path, (request, response) => {
    response.locals['route'] = path;
    sendOptions(request, response, methods, methods);
  });
  app.all(path, () => {
    throw methodNotAllowed(methods);
  });
}
