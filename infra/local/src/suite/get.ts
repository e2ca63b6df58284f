import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

/**
 * Sends a GET request to a process of the suite.
 * @param authority the certificate, in PEM, of the authority of an https URL
 * @throws Error when no response has arrived after two seconds
 */
export function get(url: string, authority?: string): Promise<{ status: number; text: string }> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { agent: false, signal: AbortSignal.timeout(2000), ...(authority === undefined ? {} : { ca: authority }) },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        response.once('error', reject).once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    outgoing.once('error', reject).end();
  });
}
