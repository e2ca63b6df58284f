import type { ServerResponse } from 'node:http';
import { sendPage } from './responses';

/** What the page says for each `error` of the redirect (infra/docs/api.md). */
const failures = new Map([
  ['access_denied', 'You did not grant access.'],
  ['no_patient', 'The account is not that of a patient with a record.'],
  ['invalid_scope', 'The health system does not give the requested access.'],
  ['not_registered', 'This suite is not registered at the health system.'],
  ['system_unavailable', 'The health system is not available at the moment.'],
  ['expired', 'The sign-in took too long.'],
  ['server_error', 'Something went wrong on our side.'],
  ['user_inactive', 'This user is not active any more.'],
]);

/** The demo client's redirect_uri: shows whether connecting succeeded. No text of the URL becomes part of the page. */
export function connectedPage(response: ServerResponse, parameters: URLSearchParams): void {
  const success = parameters.get('success') === 'true';
  const title = success ? 'Connected' : 'Not connected';
  const text = success
    ? 'The health system granted access. Your record is being collected in the background; you can close this page.'
    : `${failures.get(parameters.get('error') ?? '') ?? 'The health system did not grant access.'} Nothing was collected; you can try again.`;
  sendPage(
    response,
    success ? 200 : 400,
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>:root{color-scheme:light dark}body{font:18px/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem;color:#1b2733;background:#fff}h1{color:${success ? '#0a6b4f' : '#8a2b12'}}@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#10161d}h1{color:${success ? '#7fd6b5' : '#ff9d92'}}}</style></head>
<body><main><h1>${title}</h1><p>${text}</p></main></body></html>`,
  );
}
