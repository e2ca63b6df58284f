import type { Request } from 'express';
import { type PageTexts, english } from './english';
import { spanish } from './spanish';

/** The texts by language (BCP 47). The first language is the default. */
export const pageTexts: Record<PageLanguage, PageTexts> = { en: english, es: spanish };
export type PageLanguage = 'en' | 'es';

/** The language of `Accept-Language` that the user prefers and the page has (RFC 9110, section 12.5.4). */
export function pageLanguage(request: Request): PageLanguage {
  const chosen = request.acceptsLanguages(Object.keys(pageTexts));
  return chosen === 'es' ? chosen : 'en';
}
