import type { Request } from 'express';
import { pageLanguage, pageTexts } from './page-language';
import { escapeHtml, filled, nameOr, pageOf, pagePolicy } from './page-layout';

/** What a link is about to begin. */
export interface LinkPage {
  appName: string;
  systemName: string;
  /** How the client calls the account of the user. */
  accountName: string | undefined;
}

/**
 * The page that asks whose account a link is about. It names the application and the account, so that nobody connects
 * an own record to the account of somebody who sent the link.
 * @returns the page, and the headers that belong to it
 */
export function renderLinkPage(
  request: Request,
  { appName, systemName, accountName }: LinkPage,
): { html: string; headers: Record<string, string> } {
  const language = pageLanguage(request);
  const texts = pageTexts[language].link;
  const values = { app: nameOr('', appName), system: nameOr('', systemName), account: nameOr('', accountName) };
  const { title, purpose, account, unnamedAccount, warning, signIn, yes, no } = texts;
  const content = `<p>${filled(purpose, values)}</p><p>${filled(accountName === undefined ? unnamedAccount : account, values)}</p>
<p class="notice warning">${filled(warning, values)}</p><p>${filled(signIn, values)}</p>
<form method="post" class="actions"><button class="primary" name="answer" value="yes">${escapeHtml(yes)}</button><button name="answer" value="no">${escapeHtml(no)}</button></form>`;
  return {
    html: pageOf(language, title, content),
    headers: {
      'Content-Security-Policy': pagePolicy({ forms: true }),
      'Content-Language': language,
      Vary: 'Accept-Language',
    },
  };
}
