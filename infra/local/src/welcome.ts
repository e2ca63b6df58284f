import type { ReadyEvent } from './suite/running';

/** The text that `npm start` prints when everything is ready: addresses, credentials, and the next commands. */
export function welcome(ready: ReadyEvent): string {
  const patients = ready.sandbox.patients
    .slice(0, 4)
    .map(({ username, password, releases }) => `    ${username} / ${password}   (${releases.join(', ')})`);
  const more = ready.sandbox.patients.length > 4 ? [`    … and ${ready.sandbox.patients.length - 4} more`] : [];
  return [
    '',
    `Tributary is ready. Everything begins at ${ready.base_url}/console`,
    '',
    `  {base_url}       ${ready.base_url}`,
    `  {auth_url}       ${ready.auth_url}`,
    `  {search_url}     ${ready.search_url}`,
    `  {analytics_url}  ${ready.analytics_url}`,
    '',
    `  Documentation    ${ready.base_url}/docs`,
    `  Mail             ${ready.mail_url}   (all that the suite sends)`,
    '',
    ...(ready.ca_file === undefined ? [] : [`  Authority        ${ready.ca_file}`, '']),
    '  Demo client',
    `    client_id      ${ready.client.client_id}`,
    `    client_secret  ${ready.client.client_secret}`,
    `    redirect_uri   ${ready.client.redirect_uri}`,
    '',
    `  Sandbox health system ${ready.sandbox.health_system_id} at ${ready.sandbox.url}; its patients (username / password):`,
    ...patients,
    ...more,
    '',
    '  Next, in another terminal:  npm run demo',
    '  Ctrl-C stops everything; the data stays (npm start -- --fresh wipes it).',
    '',
    '',
  ].join('\n');
}
