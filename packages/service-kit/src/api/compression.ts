import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';

/**
 * Compression of JSON responses (RFC 9110, section 8.4). Only responses behind a bearer token and public documents are
 * compressed. Those of routes that take client secrets contain codes and secrets, and stay as they are. BREACH
 * (compression beside reflected input) needs a page that makes the browser of a victim send authenticated requests;
 * with bearer tokens and no cookies there are none.
 */
export type ContentEncoding = 'br' | 'gzip';

/** A smaller body fits into one TCP segment either way. */
const minBytes = 1400;
/** A body up to this size is compressed in less time than the hand-over to another thread takes. */
const maxSyncBytes = 65_536;

/**
 * The fastest levels. A Bundle of 85 kB becomes 6 kB by them; higher levels save 1 % of the original size for three to
 * ten times the processor time.
 */
const brotliOptions = (size: number): object => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 1,
    [constants.BROTLI_PARAM_SIZE_HINT]: size,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  },
});
const gzipOptions = { level: 1 };
const brotliAsync = promisify(brotliCompress) as (body: Buffer, options: object) => Promise<Buffer>;
const gzipAsync = promisify(gzip) as (body: Buffer, options: object) => Promise<Buffer>;

/** Headers whose result is cached; clients send few different ones. */
const maxCached = 100;
const negotiated = new Map<string, ContentEncoding | undefined>();

/**
 * The content coding of a response (RFC 9110, section 12.5.3): the one with the greatest weight in `Accept-Encoding`,
 * of equal ones the better. Undefined when the client prefers or accepts nothing else than the body itself, or the body
 * is too small.
 * @param length of the body in bytes
 */
export function contentEncodingOf(acceptEncoding: string | undefined, length: number): ContentEncoding | undefined {
  if (acceptEncoding === undefined || length < minBytes) return undefined;
  let encoding = negotiated.get(acceptEncoding);
  if (encoding === undefined && !negotiated.has(acceptEncoding)) {
    encoding = choose(acceptEncoding);
    if (negotiated.size >= maxCached) negotiated.clear();
    negotiated.set(acceptEncoding, encoding);
  }
  return encoding;
}

function choose(header: string): ContentEncoding | undefined {
  const weights = new Map(header.split(',').map((part) => weightOf(part.trim().toLowerCase())));
  const weightOfName = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  const gzipWeight = Math.max(weightOfName('gzip'), weights.get('x-gzip') ?? 0);
  const best = Math.max(weightOfName('br'), gzipWeight);
  if (best === 0 || (weights.get('identity') ?? 0) > best) return undefined;
  return weightOfName('br') === best ? 'br' : 'gzip';
}

/** A coding and its weight from 0 to 1; an unreadable weight counts as 0. */
function weightOf(part: string): [string, number] {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return [name, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0];
}

/** Compresses a body: a small one at once, a large one on another thread. */
export function compress(body: Buffer, encoding: ContentEncoding): Buffer | Promise<Buffer> {
  if (body.length <= maxSyncBytes)
    return encoding === 'br' ? brotliCompressSync(body, brotliOptions(body.length)) : gzipSync(body, gzipOptions);
  return encoding === 'br' ? brotliAsync(body, brotliOptions(body.length)) : gzipAsync(body, gzipOptions);
}

/** Express middleware that compresses JSON bodies that are sent in one piece. Streams are sent as they are. */
export const compressJson: RequestHandler = (request, response, next) => {
  const end = response.end.bind(response) as (chunk?: Buffer) => typeof response;
  const endCompressed = (chunk?: string | Buffer, encoding?: BufferEncoding): typeof response => {
    response.end = end as typeof response.end;
    const isJson = /[/+]json\b/.test(String(response.getHeader('Content-Type') ?? ''));
    const body = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
    if (response.headersSent || response.hasHeader('Content-Encoding') || !isJson) return end(body);
    response.vary('Accept-Encoding');
    const length = body?.length ?? Number(response.getHeader('Content-Length') ?? 0);
    const coding = contentEncodingOf(request.headers['accept-encoding'], length);
    if (!coding) return end(body);
    response.setHeader('Content-Encoding', coding);
    response.removeHeader('Content-Length');
    if (body === undefined) return end(); // HEAD: the length of the compressed body is not known.
    const send = (compressed: Buffer): typeof response => {
      response.setHeader('Content-Length', compressed.length);
      return end(compressed);
    };
    const compressed = compress(body, coding);
    if (Buffer.isBuffer(compressed)) return send(compressed);
    compressed.then(send, () => response.destroy());
    return response;
  };
  response.end = endCompressed as typeof response.end;
  next();
};
