import { Api, type ApiOptions, type ErrorFormat, HttpError, anyone, serviceErrorFormat } from '@tributary/service-kit';
import type { Express, Request, Response } from 'express';
import { z } from 'zod';
import type { BaseUrls } from './layout';
import type { References } from './reference/references';
import type { SiteFile } from './site-file';

export interface DocumentationOptions {
  files: ReadonlyMap<string, SiteFile>;
  references: References;
  urls: BaseUrls;
  log: ApiOptions['log'];
}

/** How long browsers and proxies use a file without asking again, in seconds. */
const maxAgeSeconds = 300;

/** The documentation site: one route for each file, the API reference, and a redirect from {base_url} to it. */
export function documentationApp({ files, references, urls, log }: DocumentationOptions): Express {
  const api = new Api({
    title: 'Documentation',
    description: '',
    serverUrl: urls.base_url,
    errorFormat: pageErrorFormat(files),
    log,
    audit: { none: 'it has public documents only' },
    documentation: false,
  });
  const described = { method: 'get', summary: '', authentication: anyone, responses: {} } as const;
  api.route({ ...described, path: '/', operationId: 'home' }, ({ response }) => {
    response.redirect(302, `${urls.base_url}/docs`);
  });
  for (const [path, file] of files)
    api.route({ ...described, path, operationId: path }, ({ request, response }) => {
      sendFile(request, response, file);
    });
  const sendReference = async (request: Request, response: Response, name: string, page: string): Promise<void> => {
    const file = await references.find(name, page);
    if (file === undefined) throw new HttpError('not_found', 'there is nothing at this address');
    if (file !== 'unavailable') return sendFile(request, response, file);
    response.status(503).set({ 'Content-Security-Policy': pagePolicy, 'Retry-After': '60' });
    response.type('html').end(references.unavailablePage(name));
  };
  const path = '/docs/reference/{reference}';
  api.route(
    { ...described, path, operationId: 'reference', params: z.object({ reference: z.string() }) },
    ({ params, request, response }) => sendReference(request, response, params.reference, ''),
  );
  api.route(
    {
      ...described,
      path: `${path}/{page}`,
      operationId: 'referencePage',
      params: z.object({ reference: z.string(), page: z.string() }),
    },
    ({ params, request, response }) => sendReference(request, response, params.reference, params.page),
  );
  return api.express();
}

const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sends a file in the encoding that the client prefers, or 304 when the client has it. */
function sendFile(request: Request, response: Response, { type, etag, bytes }: SiteFile): void {
  const encoding = request.acceptsEncodings('br', 'gzip', 'identity') || 'identity';
  response.set({
    'Content-Security-Policy': pagePolicy,
    'Content-Type': type,
    'Cache-Control': `public, max-age=${maxAgeSeconds}`,
    ETag: etag,
    Vary: 'Accept-Encoding',
  });
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
  const body = encoding === 'br' || encoding === 'gzip' ? bytes[encoding] : bytes.identity;
  response.set('Content-Length', String(body.length)).end(request.method === 'HEAD' ? undefined : body);
}

/** An unknown address is answered with a page for browsers, and with JSON otherwise. */
function pageErrorFormat(files: ReadonlyMap<string, SiteFile>): ErrorFormat {
  return (error, response) => {
    const page = files.get('/docs/not-found');
    if (error.status !== 404 || !page || !response.req.accepts(['json', 'html'])?.toString().includes('html'))
      return serviceErrorFormat(error, response);
    response.status(404).set({ 'Content-Security-Policy': pagePolicy, 'Content-Type': page.type });
    response.end(page.bytes.identity);
  };
}
