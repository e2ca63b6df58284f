import { type ErrorFormat, type HttpError, serviceErrorFormat } from '@tributary/service-kit';
import type { Response } from 'express';
import { type PageFacts, pageFactsOf } from './page-facts';
import { pageLanguage } from './page-language';
import { pagePolicy } from './page-layout';
import type { PageError } from './page-texts';
import { renderPage } from './render-error-page';

const callbackRoutes: readonly unknown[] = ['/connect/callback', '/connect/callback/{callback}'];
const browserRoutes = ['/connect/system/clinical/{health_system_id}', '/connect/links/{link}', ...callbackRoutes];

/** The error codes with a page of the same name. */
const pageErrors: readonly PageError[] = [
  'invalid_client',
  'invalid_token',
  'health_system_not_found',
  'connection_not_found',
  'unsupported_fhir_version',
  'invalid_redirect_uri',
  'connect_link_ended',
  'invalid_origin',
  'too_many_requests',
  'temporarily_unavailable',
];

const canRetry: ReadonlySet<PageError> = new Set([
  'too_many_requests',
  'temporarily_unavailable',
  'internal_error',
  'callback_failed',
]);

/**
 * Error responses in JSON; for browsers an HTML page when `Accept` prefers it. The page does not show the messages of
 * errors, which are for developers.
 */
export const jsonOrHtml: ErrorFormat = (error, response) => {
  const isForBrowsers = mayBeOfBrowser(response);
  if (isForBrowsers) response.vary('Accept');
  if (!isForBrowsers || response.req.accepts(['json', 'html']) !== 'html') return serviceErrorFormat(error, response);
  const language = pageLanguage(response.req);
  const facts = pageFactsOf(response);
  const pageError = pageErrorOf(error, response, facts);
  const page = renderPage({
    language,
    error: pageError,
    appName: facts.appName,
    systemName: facts.systemName,
    appUrl: facts.appUrl,
    canRetry: canRetry.has(pageError),
    waitSeconds: Number(error.headers['Retry-After'] ?? 60),
    errorCode: error.errorCode,
    status: error.status,
    requestId: String(response.locals['requestId'] ?? ''),
  });
  response
    .status(error.status)
    .vary('Accept-Language')
    .set({ 'Content-Security-Policy': pagePolicy({ forms: false }), 'Content-Language': language })
    .type('html')
    .send(page);
};

/** Routes that browsers navigate to, and addresses below `/connect` without a route, such as a link that is cut off. */
function mayBeOfBrowser({ locals, req }: Response): boolean {
  const route: unknown = locals['route'];
  return route === undefined ? /^\/connect(\/|$)/.test(req.path) : browserRoutes.includes(route);
}

function pageErrorOf({ errorCode, status }: HttpError, { locals }: Response, facts: PageFacts): PageError {
  if (facts.pageError) return facts.pageError;
  const isCallback = callbackRoutes.includes(locals['route']);
  if (isCallback && status >= 500) return 'callback_failed';
  const ofCode = pageErrors.find((name) => name === errorCode);
  if (ofCode) return ofCode;
  if (errorCode === 'not_found') return 'unknown_address';
  if (status >= 500) return 'internal_error';
  return isCallback ? 'unreadable_response' : 'broken_link';
}
