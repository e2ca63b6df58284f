import { dirname, join } from 'node:path';
import type { Express } from 'express';
import { compressJson } from './compression';
import { crossOriginHeaders, sendOptions, setHeaders } from './cross-origin';
import { methodNotAllowed } from './http-error';

/** The Content-Security-Policy of the page: swagger-ui uses inline styles; everything else comes from this service. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>API documentation</title><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css"></head>
<body><div id="swagger-ui"></div><script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script></body></html>
`;
const start = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });\n`;

const assetNames = ['swagger-ui.css', 'swagger-ui-bundle.js'];

/** Serves the OpenAPI document at `/openapi.json` and Swagger UI for it at `/docs`. */
export function serveDocumentation(app: Express, document: object): void {
  const assets = dirname(require.resolve('swagger-ui-dist/package.json'));
  app.get('/openapi.json', compressJson, (_request, response) => {
    response.locals['route'] = '/openapi.json';
    setHeaders(response, crossOriginHeaders);
    response.json(document);
  });
  app.get('/docs', (request, response) => {
    response.locals['route'] = '/docs';
    if (request.path.endsWith('/')) return response.redirect(301, '../docs');
    return response.set('Content-Security-Policy', policy).type('html').send(page);
  });
  app.get('/docs/start.js', (_request, response) => {
    response.type('application/javascript').send(start);
  });
  for (const name of assetNames) {
    app.get(`/docs/${name}`, (_request, response) => {
      response.locals['route'] = '/docs';
      response.sendFile(join(assets, name), { headers: { 'Cache-Control': 'public, max-age=3600' } });
    });
  }
  app.options('/openapi.json', (request, response) => {
    response.locals['route'] = '/openapi.json';
    sendOptions(request, response, ['GET', 'HEAD'], ['GET', 'HEAD']);
  });
  app.all(['/openapi.json', '/docs', '/docs/start.js', ...assetNames.map((name) => `/docs/${name}`)], () => {
    throw methodNotAllowed(['GET', 'HEAD']);
  });
}
