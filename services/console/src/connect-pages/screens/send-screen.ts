import { isOfFrame } from '@tributary/service-kit';
import type { Request, Response } from 'express';
import { type WebAssets, rootOf } from '../../web-assets';
import { pageFactsOf } from '../page/page';
import type { Language, PageData, Screen, Theme } from './screens';

/** What the build of the web application has made. */
export interface WebApplication extends WebAssets {
  /** Renders a screen to HTML. */
  render: (data: PageData) => { title: string; html: string };
}

/** What every screen is made of. */
export interface Site {
  web: WebApplication;
  /** The public address, {base_url}. */
  baseUrl: string;
}

/** The address of a file of the web application; its name has a hash of its content. */
export const assetsPath = '/connect/assets';

const directives = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  // Without `form-action`: browsers apply it to redirects as well, and a form ends at a health system.
  "base-uri 'none'",
];

/** A screen: a document for navigations, its data for scripts of the page. */
export function sendScreen({ web, baseUrl }: Site, request: Request, response: Response, screen: Screen): undefined {
  const { appName, appLogo, frameOrigins = [], messageOrigins = [], path, backUrl } = pageFactsOf(response);
  const leaveUrl = isOfFrame(request) ? backUrl : path && `${path}/done`;
  const theme = themeOf(request);
  // Of an error without a client nobody knows who may frame it, and its person would see nothing. It is one text for
  // everybody, whose controls change nothing but what they show: a click that another page steals has no effect, and
  // frames of other sites have no cookie of the user.
  const ancestors = screen.name === 'error' && appName === undefined ? ['*'] : frameOrigins;
  const data: PageData = {
    language: languageOf(request),
    ...(theme === undefined ? {} : { theme }),
    ...(appName === undefined ? {} : { appName }),
    messageOrigins,
    ...(leaveUrl === undefined ? {} : { leaveUrl }),
    screen,
  };
  response
    .set({
      'Content-Security-Policy': policyOf(ancestors),
      'Permissions-Policy': `geolocation=${screen.name === 'search' ? '(self)' : '()'}`,
      'Content-Language': data.language,
      'Cache-Control': 'no-store',
      // With `no-referrer` browsers would send the forms with `Origin: null`. An error has none, and can be at the
      // first address, which has the token.
      'Referrer-Policy': screen.name === 'error' ? 'no-referrer' : 'same-origin',
    })
    .vary('Accept, Accept-Language, Cookie')
    // An application that opens the page in a pop-up would lose its reference to that window.
    .removeHeader('Cross-Origin-Opener-Policy');
  // It would refuse the frames that the policy allows.
  if (ancestors.length > 0) response.removeHeader('X-Frame-Options');
  if (request.accepts(['json', 'html']) === 'html')
    response
      .type('html')
      .send(documentOf({ web, baseUrl }, { ...data, ...(appLogo === undefined ? {} : { appLogo }) }));
  else response.json(data);
}

function policyOf(ancestors: readonly string[]): string {
  return [...directives, `frame-ancestors ${ancestors.length > 0 ? ancestors.join(' ') : "'none'"}`].join('; ');
}

function documentOf({ web: { render, script, styles }, baseUrl }: Site, data: PageData): string {
  const assets = rootOf(baseUrl) + assetsPath;
  const { title, html } = render(data);
  const theme = data.theme === undefined ? '' : ` data-theme="${data.theme}"`;
  return `<!doctype html>
<html lang="${data.language}"${theme}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><title>${escapeText(title)}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${assets}/${styles}"><script type="module" src="${assets}/${script}"></script></head>
<body><div id="page">${html}</div><script type="application/json" id="data">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script></body></html>
`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function languageOf(request: Request): Language {
  return request.acceptsLanguages(['en', 'es']) === 'es' ? 'es' : 'en';
}

function themeOf({ headers }: Request): Theme | undefined {
  return /(?:^|; *)connect-theme=(light|dark)(?:;|$)/.exec(headers.cookie ?? '')?.[1] as Theme | undefined;
}
