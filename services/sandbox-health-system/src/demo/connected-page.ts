import type { Request, Response } from 'express';
import { documentOf, sendPage } from '../authorization/pages';

/** What the page says for each `error` of the redirect, a parameter of the redirect after a connection. */
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

/** The redirect_uri of the demo client: shows whether connecting succeeded, and no text of the URL. */
export function showConnected({ query }: Request, response: Response): void {
  const [title, text] =
    query['success'] === 'true'
      ? [
          'Connected',
          'The health system granted access. Your record is being collected in the background; you can close this page.',
        ]
      : [
          'Not connected',
          `${failures.get(String(query['error'])) ?? 'The health system did not grant access.'} Nothing was collected; you can try again.`,
        ];
  sendPage(response, 200, documentOf(title, `<h1>${title}</h1><p class="card">${text}</p>`));
}
