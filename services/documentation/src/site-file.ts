import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A file of the site, in every encoding in which it is sent. */
export interface SiteFile {
  type: string;
  etag: string;
  bytes: { identity: Buffer; gzip: Buffer; br: Buffer };
}

/** Better compression takes longer at each start than it saves. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/** A file that is compressed now. */
export async function textFile(type: string, text: string): Promise<SiteFile> {
  const identity = Buffer.from(text);
  const [gzipped, br] = await Promise.all([promisify(gzip)(identity), promisify(brotliCompress)(identity, quality)]);
  return siteFile(type, { identity, gzip: gzipped, br });
}

/** A file whose encodings exist. */
export function siteFile(type: string, bytes: SiteFile['bytes']): SiteFile {
  return {
    type: `${type}; charset=utf-8`,
    etag: `W/"${createHash('sha256').update(bytes.identity).digest('base64url').slice(0, 22)}"`,
    bytes,
  };
}
