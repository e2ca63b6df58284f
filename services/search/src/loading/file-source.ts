import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { withoutFinalSlash } from '@tributary/contracts';
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
 * @returns `unchanged` when the server responds with 304
 * @throws Error when it cannot be read, and for http unless in the sandbox
 */
export async function openFile(
  origin: string,
  { known, sandbox, onBytes }: { known: Validators; sandbox: boolean; onBytes: (count: number) => void },
): Promise<OpenFile | 'unchanged'> {
  if (!isUrl.test(origin)) {
    const { size } = await stat(origin).catch(() => {
      throw new Error(`${origin} cannot be read: there is no such file`);
    });
    return { bytes: decompressed(counted(createReadStream(origin, { highWaterMark: 256 * 1024 }), onBytes)), size };
  }
  if (!sandbox && !/^https:/i.test(origin))
    throw new Error(`${origin} is not https; a directory loaded over http could be anyone's`);
  const response = await request(origin, {
    headers: {
      accept: 'application/fhir+json, application/json;q=0.9, */*;q=0.1',
      ...(known.etag ? { 'if-none-match': known.etag } : {}),
      ...(known.lastModified && !known.etag ? { 'if-modified-since': known.lastModified } : {}),
    },
  });
  if (response.status === 304) return 'unchanged';
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new Error(`${origin} responded with ${response.status}`);
  }
  if (!sandbox && !response.url.startsWith('https:')) {
    await response.body.cancel();
    throw new Error(`${origin} redirects to an address that is not https`);
  }
  const length = Number(response.headers.get('content-length') ?? NaN);
  return {
    bytes: decompressed(counted(readBody(response.body), onBytes)),
    size: Number.isFinite(length) && !response.headers.has('content-encoding') ? length : undefined,
    etag: response.headers.get('etag') ?? undefined,
    lastModified: response.headers.get('last-modified') ?? undefined,
  };
}

async function request(origin: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(origin, init);
  } catch (error) {
    const { cause } = error as { cause?: NodeJS.ErrnoException };
    throw new Error(`${origin} cannot be reached: ${cause?.message ?? 'no answer'}`, { cause: error });
  }
}

async function* readBody(body: NonNullable<Response['body']>): AsyncGenerator<Buffer> {
  try {
    yield* Readable.fromWeb(body) as AsyncIterable<Buffer>;
  } catch (error) {
    throw new InvalidFile('the connection broke off in the middle', { cause: error });
  }
}

async function* counted(bytes: AsyncIterable<Buffer>, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    onBytes(chunk.length);
    yield chunk;
  }
}

/** Recognizes gzip by its first two bytes, whatever the file is called. */
async function* decompressed(bytes: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
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
  if (head[0] === 0x1f && head[1] === 0x8b) {
    const source = Readable.from(whole);
    const gunzip = createGunzip();
    source.once('error', (error) => gunzip.destroy(error));
    try {
      yield* source.pipe(gunzip) as AsyncIterable<Buffer>;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (code === 'Z_BUF_ERROR') throw new InvalidFile('the file ends in the middle: it was cut off');
      throw code.startsWith('Z_') ? new InvalidFile('the file is not valid gzip') : error;
    }
  } else yield* whole;
}
