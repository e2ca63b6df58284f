import { createHash } from 'node:crypto';
import { pageStyle } from '@tributary/page-style';

/** HAProxy quotes a text of one line by single quotes, which the style sheet does not need. */
const style = pageStyle
  .replace(/\/\*.*?\*\//gs, '')
  .replace(/\s+/g, ' ')
  .replaceAll("'", '"')
  .trim();

const texts = {
  en: {
    title: 'This does not work at the moment',
    happened: 'A part of our service is not available. Nothing is lost.',
    next: 'Please try again in a few minutes.',
    again: 'Try again',
  },
  es: {
    title: 'Esto no funciona en este momento',
    happened: 'Una parte de nuestro servicio no está disponible. No se pierde nada.',
    next: 'Inténtelo de nuevo en unos minutos.',
    again: 'Intentar de nuevo',
  },
} as const;

/** A language of the page; the first one is for browsers that want another. */
export type PageLanguage = keyof typeof texts;
export const pageLanguages = Object.keys(texts) as PageLanguage[];

/** The page of a service that no replica serves at the moment, in the style of all pages. */
export function unavailablePage(language: PageLanguage): string {
  const { title, happened, next, again } = texts[language];
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title><style>${style}</style></head><body><main><h1>${title}</h1><p>${happened}</p><p>${next}</p><p class="actions"><a class="primary" href="">${again}</a></p></main></body></html>`;
}

/** The page is the same for everybody, so every site may show it in a frame, where it replaces a connect page. */
export const unavailablePagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  'frame-ancestors *',
].join('; ');
