import { createHash } from 'node:crypto';
import type { PageLanguage } from './page-language';

const style = `:root{color-scheme:light dark;--ink:#1c2733;--quiet:#51606f;--paper:#fff;--accent:#005a70;--on-accent:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--quiet:#a9b9c8;--paper:#10161d;--accent:#7fd3e6;--on-accent:#06222a}}
*{box-sizing:border-box}
body{margin:0;font:1.125rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);overflow-wrap:anywhere}
main{max-width:36rem;margin:0 auto;padding:min(12vh,6rem) 1.25rem 3rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}
p{margin:0 0 .75rem}
bdi{font-weight:600}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.5rem 0 0}
.actions :is(a,button){padding:.65rem 1.25rem;border:2px solid var(--accent);border-radius:.5rem;color:var(--accent);background:none;font:inherit;font-weight:600;text-decoration:none;cursor:pointer}
.actions :first-child{background:var(--accent);color:var(--on-accent)}
.actions :hover{text-decoration:underline}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
details{margin-top:2rem;font-size:1rem}
summary{padding:.25rem 0;cursor:pointer}
dt{margin-top:.5rem;color:var(--quiet)}
dd{margin:0}
code{font-size:.9em}`;

/**
 * Allows the style sheet only: pages work without JavaScript.
 * @param forms whether there are forms. Where they lead is not limited: browsers apply the limit to redirects as well,
 *   and a form ends at a health system or an application.
 */
export function pagePolicy({ forms }: { forms: boolean }): string {
  const hash = createHash('sha256').update(style).digest('base64');
  const formAction = forms ? '' : "form-action 'none'; ";
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; ${formAction}frame-ancestors 'none'`;
}

/** A page in the style of all pages. @param content HTML */
export function pageOf(language: PageLanguage, title: string, content: string): string {
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${content}</main></body></html>
`;
}

/** A text as HTML. @param values by which its placeholders, such as `{app}`, are replaced, as HTML */
export function filled(text: string, values: Readonly<Record<string, string>>): string {
  return escapeHtml(text).replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}

/** Without effect in a name, or with one on the text after it. Two joiners are letters in some scripts. */
const invisible = /[\p{Cc}\p{Zl}\p{Zp}]|(?!\u200c|\u200d)\p{Cf}/gu;

/**
 * A name as HTML, isolated from the direction of the text around it. Directories and clients choose names.
 * @param words stand for a name that is not known
 */
export function nameOr(words: string, name: string | undefined): string {
  const visible = name?.replace(invisible, '').trim();
  return visible ? `<bdi>${escapeHtml(visible)}</bdi>` : escapeHtml(words);
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
