import { Api, type ApiOptions, type ErrorFormat, anyone, serviceErrorFormat } from '@tributary/service-kit';
import type { Express, Request, Response } from 'express';
import type { BaseUrls, SiteFile } from './site';

export interface DocumentationOptions {
  files: ReadonlyMap<string, SiteFile>;
  urls: BaseUrls;
  log: ApiOptions['log'];
}

/** How long browsers and proxies use a file without asking again, in seconds. */
const maxAgeSeconds = 300;

/** The documentation site: one route for each file, and a redirect from {base_url} to it. */
export function documentationApp({ files, urls, log }: DocumentationOptions): Express {
  const api = new Api({
    title: 'Documentation',
    description: '',
    serverUrl: urls.base_url,
    errorFormat: pageErrorFormat(files),
    log,
    documentation: false,
  });
  const described = { method: 'get', summary: '', authentication: anyone, responses: {} } as const;
  api.route({ ...described, path: '/', operationId: 'home' }, ({ response }) => {
    response.redirect(302, `${urls.base_url}/docs`);
  });
  for (const [path, file] of files)
    api.route({ ...described, path, operationId: path }, ({ request, response }) => {
      response.set('Content-Security-Policy', file.isReference ? referencePolicy(urls) : pagePolicy);
      sendFile(request, response, file);
    });
  return api.express();
}

const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Redoc writes its styles into the page, searches in a worker, and fetches the OpenAPI document of the API. */
function referencePolicy(urls: BaseUrls): string {
  const origins = [...new Set(Object.values(urls).map((url: string) => new URL(url).origin))].join(' ');
  return pagePolicy
    .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
    .replace("connect-src 'self'", `connect-src 'self' ${origins}; worker-src blob:`);
}

/** Sends a file in the encoding that the client prefers, or 304 when the client has it. */
function sendFile(request: Request, response: Response, { type, etag, bytes }: SiteFile): void {
  const encoding = request.acceptsEncodings('br', 'gzip', 'identity') || 'identity';
  response.set({
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
