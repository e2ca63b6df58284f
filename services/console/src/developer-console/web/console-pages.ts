import { randomBytes } from 'node:crypto';
import { Api, type ApiOptions, browserNavigation, serviceErrorFormat } from '@tributary/service-kit';
import type { Request, RequestHandler, Response } from 'express';
import { type WebAssets, assetName, rootOf, sendAsset } from '../../web-assets';
import type { ConsoleFacts, PublicUrls } from './console-facts';

export interface ConsolePagesOptions {
  web: WebAssets;
  urls: PublicUrls;
  /** Where the mail of a sandbox is read. */
  mailUrl?: string | undefined;
  log: ApiOptions['log'];
}

const path = '/console';
const assetsPath = `${path}/assets`;

/**
 * The pages of the developer console at {base_url}/console, and their assets. They are one document, whose script shows
 * the page of the address. Other requests, the API of the console among them, are passed on.
 */
export function consolePages({ web, urls, mailUrl, log }: ConsolePagesOptions): RequestHandler {
  const facts: ConsoleFacts = { root: rootOf(urls.base_url) + path, urls, mail_url: mailUrl };
  const api = new Api({
    title: 'Developer console',
    description: '',
    serverUrl: urls.base_url,
    errorFormat: serviceErrorFormat,
    log,
    audit: { none: 'the document is the same for everybody, and its script calls an API that records it' },
    documentation: false,
  });
  const common = { method: 'get', summary: '', authentication: browserNavigation, responses: {} } as const;
  api.route(
    { ...common, path: `${assetsPath}/{file}`, operationId: 'consoleAsset', params: assetName },
    ({ params, request, response }) => sendAsset(request, response, web.files.get(params.file)),
  );
  for (const pages of [path, `${path}/*page`])
    api.route({ ...common, path: pages, operationId: `consolePage ${pages}` }, ({ request, response }) =>
      sendDocument(web, facts, request, response),
    );
  const app = api.express();
  return (request, response, next) => {
    if (isOfPages(request.path)) app(request, response, next);
    else next();
  };
}

function isOfPages(requested: string): boolean {
  const [, console, first] = requested.split('/');
  return console === 'console' && first !== 'api' && first !== 'openapi.json';
}

function sendDocument(web: WebAssets, facts: ConsoleFacts, request: Request, response: Response): undefined {
  const nonce = randomBytes(16).toString('base64url');
  response
    .set({
      'Content-Security-Policy': policyOf(nonce),
      'Cache-Control': 'no-store',
      'Permissions-Policy': 'publickey-credentials-create=(self), publickey-credentials-get=(self)',
      'Referrer-Policy': 'same-origin',
      'X-Frame-Options': 'DENY',
    })
    .vary('Cookie')
    .type('html')
    .send(documentOf(web, facts, themeOf(request), nonce));
}

/** @param nonce of the style elements that the components of React Aria add */
function policyOf(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

function documentOf({ script, styles }: WebAssets, facts: ConsoleFacts, theme: string, nonce: string): string {
  const assets = rootOf(facts.urls.base_url) + assetsPath;
  return `<!doctype html>
<html lang="en"${theme}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><meta property="csp-nonce" nonce="${nonce}"><title>Tributary developer console</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${assets}/${styles}"><script type="module" src="${assets}/${script}"></script></head>
<body><div id="page"><p class="loading">Loading…</p></div><noscript><main><h1>The console needs JavaScript</h1><p>Switch JavaScript on for this site, and load the page again. The APIs and their <a href="${rootOf(facts.urls.base_url)}/docs">documentation</a> work without it.</p></main></noscript><script type="application/json" id="facts">${JSON.stringify(facts).replaceAll('<', '\\u003c')}</script></body></html>
`;
}

function themeOf({ headers }: Request): string {
  const chosen = /(?:^|; *)console-theme=(light|dark)(?:;|$)/.exec(headers.cookie ?? '')?.[1];
  return chosen === undefined ? '' : ` data-theme="${chosen}"`;
}
