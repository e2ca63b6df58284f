import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { withoutFinalSlash } from '@tributary/contracts';
import { ExpansionLimit, GuardedHttp, OutboundRequestFailed, type OutboundStream } from '@tributary/outbound';
import { codeInWords, fileError } from '@tributary/service-kit';
import { InvalidFile } from './split-file';

/** Validators of a conditional request (RFC 9110, section 8.8). */
export interface Validators {
  etag?: string | undefined;
  lastModified?: string | undefined;
}

export interface OpenFile extends Validators {
  bytes: AsyncIterable<Uint8Array>;
  /** Size of the stored file in bytes; undefined when the server does not send it. */
  size: number | undefined;
}

const isUrl = /^https?:\/\//i;

/** The lists of all vendors together have less than a gigabyte, also when they are decompressed. */
const maxBytesOfFile = 2_000_000_000;
/** A load reads as slowly as PostgreSQL writes. */
const totalMs = 3_600_000;
const idleMs = 60_000;

/**
 * Returns the default name of a source, which identifies its entries when it is loaded again: the file name without
 * extensions, or host and path of a URL.
 */
export function sourceNameOf(origin: string): string {
  if (!isUrl.test(origin))
    return basename(origin).replace(/(?:\.brands)?(?:\.json)?(?:\.gz)?$/i, '') || basename(origin);
  const { host, pathname } = new URL(origin);
  return host + withoutFinalSlash(pathname);
}

/**
 * Opens a file or an http(s) URL.
 * @param known validators of the last load
 * @param onBytes called with the number of stored bytes of each chunk
 * @param maxBytes of a response, and of a file that is decompressed
 * @returns `unchanged` when the server responds with 304
 * @throws Error when it cannot be read, and for http and private addresses unless in the sandbox
 */
export async function openFile(
  origin: string,
  {
    known,
    sandbox,
    onBytes,
    maxBytes = maxBytesOfFile,
  }: { known: Validators; sandbox: boolean; onBytes: (count: number) => void; maxBytes?: number },
): Promise<OpenFile | 'unchanged'> {
  if (!isUrl.test(origin)) {
    const stats = await stat(origin).catch((error: unknown) => {
      throw fileError(origin, error);
    });
    if (stats.isDirectory()) throw new Error(`${origin} cannot be read: it is a directory`);
    return {
      bytes: decompressed(counted(createReadStream(origin, { highWaterMark: 256 * 1024 }), onBytes), maxBytes),
      size: stats.size,
    };
  }
  if (!sandbox && !/^https:/i.test(origin))
    throw new Error(`${origin} is not https; a directory loaded over http could be anyone's`);
  const { status, headers, body } = await request(origin, sandbox, maxBytes, {
    accept: 'application/fhir+json, application/json;q=0.9, */*;q=0.1',
    ...(known.etag ? { 'if-none-match': known.etag } : {}),
    ...(known.lastModified && !known.etag ? { 'if-modified-since': known.lastModified } : {}),
  });
  if (status < 200 || status > 299) {
    body.destroy();
    if (status === 304) return 'unchanged';
    throw new Error(`${origin} responded with ${status}`);
  }
  const length = Number(headers['content-length'] ?? NaN);
  return {
    bytes: decompressed(counted(readBody(body), onBytes), maxBytes),
    size: Number.isFinite(length) && headers['content-encoding'] === undefined ? length : undefined,
    etag: headers.etag,
    lastModified: headers['last-modified'],
  };
}

async function request(
  origin: string,
  sandbox: boolean,
  maxBytes: number,
  headers: Record<string, string>,
): Promise<OutboundStream> {
  const http = new GuardedHttp({ allowPrivateAddresses: sandbox, userAgent: 'Tributary directory' });
  try {
    return await http.stream({ method: 'GET', url: origin, headers, redirects: 3, totalMs, idleMs, maxBytes });
  } catch (error) {
    if (!(error instanceof OutboundRequestFailed)) throw error;
    throw new Error(`${origin} cannot be reached: ${codeInWords(error.reason)}`, { cause: error });
  }
}

async function* readBody(body: Readable): AsyncGenerator<Buffer> {
  try {
    yield* body as AsyncIterable<Buffer>;
  } catch (error) {
    const isBroken = !(error instanceof OutboundRequestFailed) || error.kind === 'connection';
    throw new InvalidFile(isBroken ? 'the connection broke off in the middle' : error.reason, { cause: error });
  }
}

async function* counted(bytes: AsyncIterable<Buffer>, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    onBytes(chunk.length);
    yield chunk;
  }
}

/** Recognizes gzip by its first two bytes, whatever the file is called. Ends the file when its reader stops early. */
async function* decompressed(bytes: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  try {
    let head: Buffer = Buffer.alloc(0);
    while (head.length < 2) {
      const next = await iterator.next();
      if (next.done) break;
      head = Buffer.concat([head, next.value]);
    }
    const whole = (async function* () {
      yield head;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    })();
    yield* head[0] === 0x1f && head[1] === 0x8b ? gunzipped(whole, maxBytes) : whole;
  } finally {
    void iterator.return?.();
  }
}

async function* gunzipped(bytes: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Uint8Array> {
  const source = Readable.from(bytes);
  const gunzip = createGunzip();
  const limit = new ExpansionLimit();
  source.once('error', (error) => gunzip.destroy(error));
  source.on('data', (chunk: Buffer) => limit.addEncoded(chunk.length));
  try {
    for await (const chunk of source.pipe(gunzip) as AsyncIterable<Buffer>) {
      limit.addDecoded(chunk.length);
      if (limit.decoded > maxBytes)
        throw new InvalidFile(`the file has more than ${maxBytes} bytes when it is decompressed`);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof OutboundRequestFailed && error.kind === 'expansion')
      throw new InvalidFile('the file expands too much when it is decompressed', { cause: error });
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw new InvalidFile('the file ends in the middle: it was cut off');
    throw code.startsWith('Z_') ? new InvalidFile('the file is not valid gzip') : error;
  }
}
