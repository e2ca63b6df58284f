import type { IncomingMessage } from 'node:http';
import { fhirJsonMediaTypes } from '@tributary/contracts';
import { type MediaRange, mediaRanges } from './media-range';

/** The content of a Binary resource that is sent in its own media type: the BinaryContent of fhir-json. */
export interface NativeContent {
  /** The id of the resource. */
  readonly id: string;
  /** The media type that the resource states. */
  readonly contentType: string | undefined;
  /** The reference of `securityContext`. */
  readonly securityContext: string | undefined;
  /** The number of bytes. */
  readonly length: number;
  /** The bytes from `start` up to `end`, exclusive, in pieces. */
  bytes(start: number, end: number): Iterable<Buffer>;
}

/** The beginning of a response with native content, and the range of bytes that is its body. */
export interface NativeHead {
  readonly status: 200 | 206;
  /** Names and values in turn, the form that `writeHead` takes. */
  readonly headers: readonly string[];
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

const fhirJson: ReadonlySet<string> = new Set([...fhirJsonMediaTypes, 'text/json', 'json']);
const undeclared = 'application/octet-stream';
const token = "[\\w!#$%&'*+.^`|~-]+";
const mediaTypePattern = new RegExp(`^${token}/${token}(?: *; *${token}=(?:${token}|"[ !#-\\[\\]-~]*"))*$`);
const printable = /^[\x20-\x7e]+$/;

/** File name extensions of the media types that health systems use for documents and images. */
const extensions = new Map(
  Object.entries({
    'application/dicom': 'dcm',
    'application/hl7-cda+xml': 'xml',
    'application/hl7-sda+xml': 'xml',
    'application/json': 'json',
    'application/msword': 'doc',
    'application/pdf': 'pdf',
    'application/rtf': 'rtf',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/xhtml+xml': 'xhtml',
    'application/xml': 'xml',
    'application/zip': 'zip',
    'audio/mpeg': 'mp3',
    'audio/wav': 'wav',
    'image/bmp': 'bmp',
    'image/gif': 'gif',
    'image/jpeg': 'jpg',
    'image/png': 'png',
    'image/svg+xml': 'svg',
    'image/tiff': 'tif',
    'text/csv': 'csv',
    'text/html': 'html',
    'text/plain': 'txt',
    'text/rtf': 'rtf',
    'text/xml': 'xml',
    'video/mp4': 'mp4',
  }),
);

/**
 * Whether a Binary is sent in its own media type: unless the client names a media type of FHIR JSON, which then has at
 * least the weight of the media type of the Binary (https://hl7.org/fhir/R4/binary.html#rest). `* / *`, as `fetch`,
 * curl and browsers send it, names none.
 * @param accept the header Accept, or `_format` in its place
 */
export function isNativeRequested(accept: string | undefined, contentType: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  const ranges = mediaRanges(accept);
  const weightOfFhir = Math.max(0, ...ranges.filter(({ type }) => fhirJson.has(type)).map(({ quality }) => quality));
  return weightOf(essence(mediaTypeOf(contentType)), ranges) > weightOfFhir;
}

/**
 * The head of a response with native content. Stored HTML or SVG must not run as a page of this origin: the client
 * stores the content as a file, takes the media type as stated, and shows it in a sandbox at most.
 */
export function nativeHead(
  { headers: { range, 'if-range': ifRange } }: IncomingMessage,
  { id, contentType, securityContext, length }: Omit<NativeContent, 'bytes'>,
): NativeHead {
  const type = mediaTypeOf(contentType);
  const extension = extensions.get(essence(type));
  // The ETags are weak, so If-Range never matches (RFC 9110, section 13.1.5).
  const part = range === undefined || ifRange !== undefined ? undefined : byteRange(range, length);
  const { start, end } = part ?? { start: 0, end: length };
  const headers: Record<string, string> = {
    'Content-Type': type,
    'Content-Length': String(end - start),
    'Content-Disposition': `attachment; filename="Binary-${id}${extension === undefined ? '' : `.${extension}`}"`,
    'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Accept-Ranges': 'bytes',
    Vary: 'Accept',
  };
  if (part) headers['Content-Range'] = `bytes ${start}-${end - 1}/${length}`;
  if (securityContext !== undefined && printable.test(securityContext)) headers['X-Security-Context'] = securityContext;
  return { status: part ? 206 : 200, headers: Object.entries(headers).flat(), start, end };
}

/** The media type in which a Binary is sent, in lower case and without parameters. */
export function nativeTypeOf({ contentType }: Pick<NativeContent, 'contentType'>): string {
  return essence(mediaTypeOf(contentType));
}

/** The weak ETag of a version of a resource (https://hl7.org/fhir/R4/http.html#versions). */
export function etagOf(version: number): string {
  return `W/"${version}"`;
}

/** The media type of content, when it is one that a header can carry. */
function mediaTypeOf(contentType: string | undefined): string {
  const type = contentType?.trim() ?? '';
  return mediaTypePattern.test(type) ? type : undeclared;
}

/** A media type in lower case, without parameters. */
function essence(type: string): string {
  return (type.split(';', 1)[0] as string).trim().toLowerCase();
}

/** The weight of a media type: that of the most specific range that it matches (RFC 9110, section 12.5.1). */
function weightOf(type: string, ranges: readonly MediaRange[]): number {
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  for (const wanted of [type, group, '*/*']) {
    const matching = ranges.filter((range) => range.type === wanted);
    if (matching.length > 0) return Math.max(...matching.map(({ quality }) => quality));
  }
  return 0;
}

/** The range of a Range header; undefined for several ranges and for one outside of the content, which are ignored. */
function byteRange(range: string, length: number): { start: number; end: number } | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range.trim()) ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? length : Math.min(length, Number(last) + 1);
  return start < end ? { start, end } : undefined;
}
