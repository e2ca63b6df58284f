import { createHash } from 'node:crypto';
import { type ErrorFormat, serviceErrorFormat } from '@tributary/service-kit';
import type { Response } from 'express';

const style = `:root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1.25rem;color:#1c2733;background:#fff}h1{font-size:1.5rem;line-height:1.25}details{margin-top:2rem;font-size:1rem}summary{cursor:pointer}dt{margin-top:.5rem;color:#51606f}dd{margin:0;overflow-wrap:anywhere}code{font-size:.9em}@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#10161d}dt{color:#9fb0c0}}`;
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const browserRoutes = new Set(['/connect/system/clinical/{health_system_id}', '/connect/callback']);

const brokenLink =
  'The app sent you here with a link that does not work. Go back to the app and try again; if it happens again, tell the makers of the app.';
const ourFault = 'Something went wrong on our side, and nothing was connected. Please try again in a few minutes.';

/** One sentence or two per error code, for the user. Validation messages are for developers, and not shown. */
const explanations: Record<string, string> = {
  invalid_client: 'The app that sent you here is not known to us. Please tell the makers of the app.',
  invalid_token: 'Your sign-in at the app is no longer valid. Go back to the app, sign in again, and then connect.',
  health_system_not_found: 'This health system is not in our directory. Go back to the app and choose another one.',
  unsupported_fhir_version: 'This health system cannot provide your record in the form that the app asked for.',
  invalid_state:
    'This sign-in was used already, took too long, or began in another browser. Go back to the app and connect again.',
};

/** Error responses in JSON; for browsers an HTML page when `Accept` prefers it. */
export const jsonOrHtml: ErrorFormat = (error, response) => {
  const isForBrowsers = mayBeOfBrowser(response);
  if (isForBrowsers) response.vary('Accept');
  if (!isForBrowsers || response.req.accepts(['json', 'html']) !== 'html') return serviceErrorFormat(error, response);
  const explanation = explanations[error.errorCode] ?? (error.status >= 500 ? ourFault : brokenLink);
  const details = {
    'Error code': error.errorCode,
    Status: String(error.status),
    Request: String(response.locals['requestId'] ?? ''),
  };
  response.status(error.status).set('Content-Security-Policy', policy).type('html').send(page(explanation, details));
};

/** Routes that browsers navigate to, and addresses below `/connect` without a route, such as a link that is cut off. */
function mayBeOfBrowser({ locals, req }: Response): boolean {
  const route: unknown = locals['route'];
  return route === undefined ? /^\/connect(\/|$)/.test(req.path) : browserRoutes.has(String(route));
}

/** The page works without JavaScript, which the policy forbids. */
function page(explanation: string, details: Record<string, string>): string {
  const list = Object.entries(details)
    .map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd><code>${escapeHtml(value)}</code></dd>`)
    .join('');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>The connection could not be made</title><style>${style}</style></head>
<body><main><h1>The connection could not be made</h1><p role="alert">${escapeHtml(explanation)}</p><details><summary>Technical details</summary><dl>${list}</dl></details></main></body></html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
