import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from '../api/http-error';

/**
 * Browsers send the cookie with forms of sibling domains as well, which are the same site. They send `Origin` with each
 * form, which is `null` when another origin has redirected it, and most say by Fetch Metadata whose form it is
 * (https://www.w3.org/TR/fetch-metadata/).
 * @throws HttpError 403 when a form was sent by a page of another origin
 */
export function assertOwnOrigin({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders, baseUrl: string): void {
  const isForeignSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (isForeignSite || (origin !== undefined && origin !== new URL(baseUrl).origin))
    throw new HttpError('invalid_origin', 'the answer does not come from its own page');
}
