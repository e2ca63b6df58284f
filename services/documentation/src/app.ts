import {
  Api,
  type ApiOptions,
  type ErrorFormat,
  type StaticFile,
  anyone,
  sendStaticFile,
  serviceErrorFormat,
} from '@tributary/service-kit';
import type { Express } from 'express';
import type { BaseUrls } from './layout';

export interface DocumentationOptions {
  files: ReadonlyMap<string, StaticFile>;
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
    audit: { none: 'it has public documents only' },
    documentation: false,
  });
  const described = { method: 'get', summary: '', authentication: anyone, responses: {} } as const;
  api.route({ ...described, path: '/', operationId: 'home' }, ({ response }) => {
    response.redirect(302, `${urls.base_url}/docs`);
  });
  for (const [path, file] of files)
    api.route({ ...described, path, operationId: path }, ({ request, response }) => {
      sendStaticFile(request, response, file, {
        'Content-Security-Policy': path.startsWith('/docs/reference/') ? referencePolicy(urls) : pagePolicy,
        'Cache-Control': `public, max-age=${maxAgeSeconds}`,
      });
    });
  return api.express();
}

const policy = (styles: readonly string[], ...more: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...styles].join(' '),
    "img-src 'self' data:",
    ...more,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
const pagePolicy = policy([]);

/** The style elements that Redoc adds: an empty one, which it fills by script, and that of its scroll bars. */
const redocStyles = [
  "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='",
];

/** A reference also reads the OpenAPI document of its API. */
function referencePolicy(urls: BaseUrls): string {
  const origins = new Set(Object.values(urls).map((url: string) => new URL(url).origin));
  return policy(redocStyles, ['connect-src', ...origins].join(' '));
}

/** An unknown address is answered with a page for browsers, and with JSON otherwise. */
function pageErrorFormat(files: ReadonlyMap<string, StaticFile>): ErrorFormat {
  return (error, response) => {
    const page = files.get('/docs/not-found');
    if (error.status !== 404 || !page || !response.req.accepts(['json', 'html'])?.toString().includes('html'))
      return serviceErrorFormat(error, response);
    response.status(404).set({ 'Content-Security-Policy': pagePolicy, 'Content-Type': page.type });
    response.end(page.bytes.identity);
  };
}
