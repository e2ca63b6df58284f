import { extname } from 'node:path';

const maxBytes = 65_536;

interface Format {
  mediaType: string;
  /** Of file names. */
  extensions: string[];
  matches: (content: Buffer) => boolean;
}

const formats: readonly Format[] = [
  {
    mediaType: 'image/png',
    extensions: ['.png'],
    matches: (content) => content.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
  },
  {
    mediaType: 'image/jpeg',
    extensions: ['.jpg', '.jpeg'],
    matches: (content) => content.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])),
  },
  {
    mediaType: 'image/webp',
    extensions: ['.webp'],
    matches: (content) => /^RIFF[^]{4}WEBP$/.test(content.toString('latin1', 0, 12)),
  },
  {
    mediaType: 'image/svg+xml',
    extensions: ['.svg'],
    matches: (content) => svgStart.test(content.toString('utf8')),
  },
];

/** An SVG document. Browsers show none in an `img` without the namespace. */
const svgStart =
  /^\ufeff?(?:<\?xml[^>]*>)?(?:\s|<!--(?:(?!-->)[^])*-->|<!DOCTYPE[^>]*>)*<svg(?:\s[^>]*)?\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/2000\/svg["']/;

/**
 * The image of a file as a data: URL: PNG, JPEG, WebP or SVG, as its first bytes say.
 * @param name of the file, whose extension must agree; undefined when it has none
 * @throws Error
 */
export function logoOf(content: Buffer, name?: string): `data:${string}` {
  if (content.length > maxBytes) throw new Error(`The file has ${content.length} bytes, more than ${maxBytes}`);
  const format = formats.find(({ matches }) => matches(content));
  if (!format) throw new Error('The file is no PNG, JPEG, WebP or SVG image');
  const { mediaType, extensions } = format;
  if (name !== undefined && !extensions.includes(extname(name).toLowerCase()))
    throw new Error(`The file is ${mediaType}, and its name does not end with ${extensions.join(' or ')}`);
  return `data:${mediaType};base64,${content.toString('base64')}`;
}
