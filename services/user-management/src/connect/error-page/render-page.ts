import { createHash } from 'node:crypto';
import { type PageLanguage, pageTexts } from './page-language';
import type { PageError } from './page-texts';

const style = `:root{color-scheme:light dark;--ink:#1c2733;--quiet:#51606f;--paper:#fff;--accent:#005a70;--on-accent:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--quiet:#a9b9c8;--paper:#10161d;--accent:#7fd3e6;--on-accent:#06222a}}
*{box-sizing:border-box}
body{margin:0;font:1.125rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);overflow-wrap:anywhere}
main{max-width:36rem;margin:0 auto;padding:min(12vh,6rem) 1.25rem 3rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}
p{margin:0 0 .75rem}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.5rem 0 0}
.actions a{padding:.65rem 1.25rem;border:2px solid var(--accent);border-radius:.5rem;color:var(--accent);font-weight:600;text-decoration:none}
.actions a:first-child{background:var(--accent);color:var(--on-accent)}
.actions a:hover{text-decoration:underline}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
details{margin-top:2rem;font-size:1rem}
summary{padding:.25rem 0;cursor:pointer}
dt{margin-top:.5rem;color:var(--quiet)}
dd{margin:0}
code{font-size:.9em}`;

/** Allows the style sheet only. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

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

/** The page works without JavaScript, which its policy forbids. */
export function renderPage(page: ErrorPage): string {
  const { language, error, appName, systemName } = page;
  const texts = pageTexts[language];
  const { title, happened, saved, next } = texts.errors[error];
  const values = new Map(
    Object.entries({
      app: nameOr(texts.app, appName),
      system: nameOr(texts.system, systemName),
      wait: waitText(language, page.waitSeconds),
    }),
  );
  const filled = (text: string): string =>
    escapeHtml(text).replace(/\{(\w+)\}/g, (placeholder, name: string) => values.get(name) ?? placeholder);
  const actions = [
    // An empty reference is the address of the page itself, which has a token and is not repeated in the page.
    ...(page.canRetry ? [`<a href="">${filled(texts.tryAgain)}</a>`] : []),
    ...(page.appUrl === undefined ? [] : [`<a href="${escapeHtml(page.appUrl)}">${filled(texts.backToApp)}</a>`]),
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
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><main><h1>${escapeHtml(title)}</h1><p>${filled(happened)}</p><p>${filled(saved)}</p><p>${filled(next)}</p>${actions.length > 0 ? `<p class="actions">${actions.join('')}</p>` : ''}<details><summary>${escapeHtml(summary)}</summary><dl>${list.join('')}</dl></details></main></body></html>
`;
}

/** A name is isolated from the direction of the text around it. */
function nameOr(words: string, name: string | undefined): string {
  return name ? `<bdi>${escapeHtml(name)}</bdi>` : escapeHtml(words);
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

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
