import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** A file that is sent to browsers, in every encoding in which it is sent. */
export interface StaticFile {
  type: string;
  etag: string;
  bytes: { identity: Buffer; gzip: Buffer; br: Buffer };
}

/** Better compression takes longer at each start than it saves. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/** A file that is compressed now. */
export async function textFile(type: string, text: string): Promise<StaticFile> {
  const identity = Buffer.from(text);
  const [gzipped, br] = await Promise.all([promisify(gzip)(identity), promisify(brotliCompress)(identity, quality)]);
  return staticFile(type, { identity, gzip: gzipped, br });
}

const types = new Map([
  ['.css', 'text/css'],
  ['.js', 'text/javascript'],
  ['.txt', 'text/plain'],
]);

/** The files of a folder by name, each of which a build has put there with `.gz` and `.br` beside it. */
export function compressedFiles(folder: string): Map<string, StaticFile> {
  const names = readdirSync(folder).filter((name) => !/\.(?:br|gz)$/.test(name));
  return new Map(
    names.map((name) => {
      const [identity, gzipped, br] = ['', '.gz', '.br'].map((suffix) => readFileSync(join(folder, name + suffix))) as [
        Buffer,
        Buffer,
        Buffer,
      ];
      return [
        name,
        staticFile(types.get(extname(name)) ?? 'application/octet-stream', { identity, gzip: gzipped, br }),
      ];
    }),
  );
}

function staticFile(type: string, bytes: StaticFile['bytes']): StaticFile {
  return {
    type: `${type}; charset=utf-8`,
    etag: `W/"${createHash('sha256').update(bytes.identity).digest('base64url').slice(0, 22)}"`,
    bytes,
  };
}

/** Sends a file in the encoding that the client prefers, or 304 when the client has it. */
export function sendStaticFile(
  request: Request,
  response: Response,
  { type, etag, bytes }: StaticFile,
  headers: Readonly<Record<string, string>>,
): void {
  const encoding = request.acceptsEncodings('br', 'gzip', 'identity') || 'identity';
  response.set({ ...headers, 'Content-Type': type, ETag: etag, Vary: 'Accept-Encoding' });
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
  const body = encoding === 'br' || encoding === 'gzip' ? bytes[encoding] : bytes.identity;
  response.set('Content-Length', String(body.length)).end(request.method === 'HEAD' ? undefined : body);
}
