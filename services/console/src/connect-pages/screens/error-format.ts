import type { ErrorCode } from '@tributary/contracts';
import { type ErrorFormat, type HttpError, serviceErrorFormat } from '@tributary/service-kit';
import { pageFactsOf } from '../page/page';
import type { PageError } from './screens';
import { type Site, sendScreen } from './send-screen';

const pageErrors: Partial<Record<ErrorCode, PageError>> = {
  not_found: 'unknown_address',
  invalid_client: 'unknown_app',
  invalid_token: 'sign_in_ended',
  insufficient_scope: 'read_only',
  connect_link_ended: 'page_ended',
  connect_page_ended: 'page_ended',
  health_system_not_found: 'unknown_system',
  unsupported_fhir_version: 'unknown_system',
  connection_not_found: 'unknown_connection',
  user_inactive: 'sign_in_ended',
  invalid_origin: 'foreign_form',
  too_many_requests: 'too_many_requests',
  too_many_failed_credentials: 'too_many_requests',
  temporarily_unavailable: 'unavailable',
  outcome_unknown: 'unavailable',
};

/** After these, the user can choose another place. */
const canChoose: ReadonlySet<PageError> = new Set(['unknown_system', 'unknown_connection']);

/** Errors as a screen, or as JSON for scripts. The screen does not show the message, which is for developers. */
export function errorFormat(site: Site): ErrorFormat {
  return (error, response) => {
    const { req: request } = response;
    if (request.accepts(['json', 'html']) !== 'html') return serviceErrorFormat(error, response);
    const { backUrl, path } = pageFactsOf(response);
    const pageError = pageErrorOf(error);
    response.status(error.status);
    sendScreen(site, request, response, {
      name: 'error',
      error: pageError,
      ...(path !== undefined && canChoose.has(pageError) ? { path } : {}),
      ...(backUrl === undefined ? {} : { backUrl }),
      code: error.errorCode,
      status: error.status,
      requestId: String(response.locals['requestId'] ?? ''),
    });
  };
}

function pageErrorOf({ errorCode, status }: HttpError): PageError {
  return pageErrors[errorCode] ?? (status >= 500 ? 'internal_error' : 'broken_link');
}
