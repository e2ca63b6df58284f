import { OutboundRequestFailed } from '@tributary/outbound';
import type { OutboundHttp } from '../outbound/outbound-http';

/**
 * The text of a response with the status 200; undefined for another one, or none. A redirect is not followed: it would
 * send the token elsewhere.
 */
export async function getWithToken(
  http: OutboundHttp,
  url: string,
  accept: string,
  token?: string,
): Promise<string | undefined> {
  try {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const { status, text } = await http.getWithoutRedirects(url, accept, headers);
    return status === 200 ? text : undefined;
  } catch (error) {
    if (error instanceof OutboundRequestFailed) return undefined;
    throw error;
  }
}
