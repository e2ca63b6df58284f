import type { ErrorCode } from '@tributary/contracts';
import type { RouteResponse } from '@tributary/service-kit';
import type { Response } from 'express';
import type { BrowserRedirect } from './next-redirect';

/** The documentation of an error response to a browser. */
export function refused(description: string, ...codes: ErrorCode[]): RouteResponse {
  return { description: `${description} An HTML page when \`Accept\` prefers one.`, codes };
}

/**
 * The URL of this request holds a token or a code, so the next page gets no `Referer`. Browsers also apply the opener
 * policy of a redirect: with it, an app that connects in a pop-up window would lose its reference to that window.
 * @param status 303 after a form: the browser follows with GET
 */
export function sendRedirect(response: Response, { location, cookies }: BrowserRedirect, status: 302 | 303): undefined {
  for (const cookie of cookies) response.append('Set-Cookie', cookie);
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.removeHeader('Cross-Origin-Opener-Policy');
  response.status(status).setHeader('Location', location);
}
