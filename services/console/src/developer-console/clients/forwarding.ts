import { pipeline } from 'node:stream/promises';
import type { OutboundStream } from '@tributary/outbound';
import { unavailable } from '@tributary/service-kit';
import type { Request, Response } from 'express';

/** The limits of requests and answers that are no files. */
export const usualLimits = { totalMs: 30_000, maxBytes: 20_000_000 };

const sentHeaders = ['accept', 'prefer'] as const;
const returnedHeaders = [
  'content-disposition',
  'content-location',
  'content-type',
  'etag',
  'expires',
  'last-modified',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-progress',
] as const;

/** What is sent on of the headers of the browser. */
export function forwardedHeaders({ headers }: Request): Record<string, string> {
  const sent = sentHeaders.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(sent.filter((header): header is [(typeof header)[0], string] => header[1] !== undefined));
}

/**
 * Forwards a request, and streams its answer to the browser.
 * @param send the request; it is called again when the credentials are refused, after `forget`
 * @throws HttpError 503 without an answer
 */
export async function forward(
  response: Response,
  send: (signal: AbortSignal) => Promise<OutboundStream>,
  forget: () => void,
): Promise<void> {
  const ended = new AbortController();
  response.once('close', () => ended.abort());
  const attempt = (): Promise<OutboundStream> => answeredBy(send(ended.signal));
  let answer = await attempt();
  if (answer.status === 401) {
    answer.body.destroy();
    forget();
    answer = await attempt();
  }
  const { status, headers, body } = answer;
  response.status(status);
  for (const name of returnedHeaders) if (headers[name] !== undefined) response.setHeader(name, headers[name]);
  // Stored HTML must not run as a page of the console.
  response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'; frame-ancestors 'none'");
  // The browser has gone, or a part of the service: either way the connection ends.
  await pipeline(body, response).catch(() => response.destroy());
}

/** @throws HttpError 503 when there is no answer */
export function answeredBy<Answer>(sent: Promise<Answer>): Promise<Answer> {
  return sent.catch((error: unknown) => {
    throw error instanceof Error && error.name === 'OutboundRequestFailed'
      ? unavailable('a part of the service is not available; try again shortly')
      : error;
  });
}
