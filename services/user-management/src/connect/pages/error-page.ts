import { type ErrorFormat, type HttpError, serviceErrorFormat } from '@tributary/service-kit';
import type { Response } from 'express';
import { type PageError, english } from './english';
import { type PageFacts, pageFactsOf } from './page-facts';
import { type PageLanguage, pageLanguage, pageTexts } from './page-language';
import { escapeHtml, filled, nameOr, pageOf, pagePolicy } from './page-layout';

const callbackRoutes: readonly unknown[] = ['/connect/callback', '/connect/callback/{callback}'];
const browserRoutes = ['/connect/system/clinical/{health_system_id}', '/connect/links/{link}', ...callbackRoutes];

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
  response
    .status(error.status)
    .vary('Accept-Language')
    .set({ 'Content-Security-Policy': pagePolicy({ forms: false }), 'Content-Language': language })
    .type('html')
    .send(renderPage(language, error, response));
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
  if (Object.hasOwn(english.errors, errorCode)) return errorCode as PageError;
  if (errorCode === 'not_found') return 'unknown_address';
  if (status >= 500) return 'internal_error';
  return isCallback ? 'unreadable_response' : 'broken_link';
}

function renderPage(language: PageLanguage, error: HttpError, response: Response): string {
  const facts = pageFactsOf(response);
  const { appName, systemName, appUrl } = facts;
  const pageError = pageErrorOf(error, response, facts);
  const texts = pageTexts[language];
  const { title, happened, saved = texts.nothingSaved, next } = texts.errors[pageError];
  const values = {
    app: nameOr(texts.app, appName),
    system: nameOr(texts.system, systemName),
    wait: waitText(language, Number(error.headers['Retry-After'] ?? 60)),
  };
  const paragraphs = [happened, saved, next].map((text) => `<p>${filled(text, values)}</p>`);
  const targets: [href: string | undefined, text: string][] = [
    // An empty reference is the address of the page itself, which has a token and is not repeated in the page.
    [canRetry.has(pageError) ? '' : undefined, texts.tryAgain],
    [appUrl, texts.backToApp],
  ];
  const actions = targets
    .filter(([href]) => href !== undefined)
    .map(([href = '', text], index) => {
      const emphasis = index === 0 ? ' class="primary"' : '';
      // The link is a flex container, which would drop the space before a name.
      return `<a${emphasis} href="${escapeHtml(href)}"><span>${filled(text, values)}</span></a>`;
    })
    .join('');
  const { summary, ...labels } = texts.details;
  const details: [label: string, value: string | undefined][] = [
    [labels.app, appName && nameOr('', appName)],
    [labels.system, systemName && nameOr('', systemName)],
    [labels.code, code(error.errorCode)],
    [labels.status, code(String(error.status))],
    [labels.request, code(String(response.locals['requestId'] ?? ''))],
  ];
  const list = details.map(([label, value]) => (value ? `<dt>${escapeHtml(label)}</dt><dd>${value}</dd>` : ''));
  const links = actions && `<p class="actions">${actions}</p>`;
  return pageOf(
    language,
    title,
    `${paragraphs.join('')}${links}<details><summary>${escapeHtml(summary)}</summary><dl>${list.join('')}</dl></details>`,
  );
}

/** A time that is not shorter, in the largest unit of which it has more than one. */
function waitText(language: PageLanguage, seconds: number): string {
  const [unit, size] = seconds > 3600 ? ['hour', 3600] : seconds > 60 ? ['minute', 60] : ['second', 1];
  const format = new Intl.NumberFormat(language, { style: 'unit', unit: String(unit), unitDisplay: 'long' });
  return format.format(Math.ceil(seconds / Number(size)));
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}
