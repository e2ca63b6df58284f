import { createHash } from 'node:crypto';
import { pageStyle } from '@tributary/page-style';
import type { PageLanguage } from './page-language';

/**
 * Allows the style sheet only: pages work without JavaScript.
 * @param forms whether there are forms. Where they lead is not limited: browsers apply the limit to redirects as well,
 *   and a form ends at a health system or an application.
 */
export function pagePolicy({ forms }: { forms: boolean }): string {
  const hash = createHash('sha256').update(pageStyle).digest('base64');
  const formAction = forms ? '' : "form-action 'none'; ";
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; ${formAction}frame-ancestors 'none'`;
}

/** A page in the style of all pages. @param content HTML */
export function pageOf(language: PageLanguage, title: string, content: string): string {
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${pageStyle}</style></head>
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
