import { createHash } from 'node:crypto';
import { type ErrorFormat, serviceErrorFormat } from '@tributary/service-kit';

const style = `body{font:1.125rem/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1.25rem;color:#1c2733;background:#fff}h1{font-size:1.5rem}code{font-size:.9em}@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#10161d}}`;
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const browserRoutes = new Set(['/connect/system/clinical/{health_system_id}', '/connect/callback']);

/** JSON, and on the addresses that people's browsers are sent to a page for whoever prefers one. */
export const jsonOrPage: ErrorFormat = (error, response) => {
  const forBrowsers = browserRoutes.has(String(response.locals['route']));
  if (forBrowsers) response.vary('Accept');
  if (!forBrowsers || response.req.accepts(['json', 'html']) !== 'html') return serviceErrorFormat(error, response);
  response
    .status(error.status)
    .set('Content-Security-Policy', policy)
    .type('html')
    .send(page(error.message, error.errorCode));
};

function page(message: string, code: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>The connection could not be made</title><style>${style}</style></head>
<body><main><h1>The connection could not be made</h1><p role="alert">${escaped(sentence(message))}</p><p>Go back to the app you came from and try to connect again. If this keeps happening, tell its makers this code: <code>${escaped(code)}</code></p></main></body></html>
`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
