import { type PageLanguage, pageTexts } from './page-language';
import { escapeHtml, filled, nameOr, pageOf } from './page-layout';
import type { PageError } from './page-texts';

export interface ErrorPage {
  language: PageLanguage;
  error: PageError;
  /** Undefined: not known. */
  appName: string | undefined;
  systemName: string | undefined;
  /** Of the link to the client application. */
  appUrl: string | undefined;
  /** Whether there is a link to the address of the page. */
  canRetry: boolean;
  /** After which time the user can try again. */
  waitSeconds: number;
  errorCode: string;
  status: number;
  requestId: string;
}

export function renderPage(page: ErrorPage): string {
  const { language, error, appName, systemName } = page;
  const texts = pageTexts[language];
  const { title, happened, saved, next } = texts.errors[error];
  const values = {
    app: nameOr(texts.app, appName),
    system: nameOr(texts.system, systemName),
    wait: waitText(language, page.waitSeconds),
  };
  const paragraphs = [happened, saved, next].map((text) => `<p>${filled(text, values)}</p>`);
  const actions = [
    // An empty reference is the address of the page itself, which has a token and is not repeated in the page.
    ...(page.canRetry ? [`<a href="">${filled(texts.tryAgain, values)}</a>`] : []),
    ...(page.appUrl === undefined
      ? []
      : [`<a href="${escapeHtml(page.appUrl)}">${filled(texts.backToApp, values)}</a>`]),
  ];
  const { summary, ...labels } = texts.details;
  const details: [label: string, value: string | undefined][] = [
    [labels.app, appName && nameOr('', appName)],
    [labels.system, systemName && nameOr('', systemName)],
    [labels.code, code(page.errorCode)],
    [labels.status, code(String(page.status))],
    [labels.request, code(page.requestId)],
  ];
  const list = details.map(([label, value]) => (value ? `<dt>${escapeHtml(label)}</dt><dd>${value}</dd>` : ''));
  const links = actions.length > 0 ? `<p class="actions">${actions.join('')}</p>` : '';
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
