import { createHash } from 'node:crypto';
import { type ErrorFormat, serviceErrorFormat } from '@tributary/service-kit';

const style = `body{font:1.125rem/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1.25rem;color:#1c2733;background:#fff}h1{font-size:1.5rem}code{font-size:.9em}@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#10161d}}`;
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const browserRoutes = new Set(['/connect/system/clinical/{health_system_id}', '/connect/callback']);

/** Error responses in JSON; on the routes for browsers an HTML page when `Accept` prefers it. */
export const jsonOrHtml: ErrorFormat = (error, response) => {
  const isForBrowsers = browserRoutes.has(String(response.locals['route']));
  if (isForBrowsers) response.vary('Accept');
  if (!isForBrowsers || response.req.accepts(['json', 'html']) !== 'html') return serviceErrorFormat(error, response);
  response
    .status(error.status)
    .set('Content-Security-Policy', policy)
    .type('html')
    .send(page(error.message, error.errorCode));
};

function page(message: string, code: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>The connection could not be made</title><style>${style}</style></head>
<body><main><h1>The connection could not be made</h1><p role="alert">${escapeHtml(sentence(message))}</p><p>Go back to the app you came from and try to connect again. If this keeps happening, tell its makers this code: <code>${escapeHtml(code)}</code></p></main></body></html>
`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
