/** The first bytes of file formats. */
const signatures: [mediaType: string, start: Buffer][] = [
  ['application/pdf', Buffer.from('%PDF-')],
  ['image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47])],
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff])],
  ['image/gif', Buffer.from('GIF8')],
  ['image/tiff', Buffer.from([0x49, 0x49, 0x2a, 0x00])],
  ['image/tiff', Buffer.from([0x4d, 0x4d, 0x00, 0x2a])],
  ['application/zip', Buffer.from([0x50, 0x4b, 0x03, 0x04])],
  ['application/rtf', Buffer.from('{\\rtf')],
];
/** Media types whose content always starts with its signature. Zip is the container of many other formats. */
const signed = new Set(
  signatures.map(([mediaType]) => mediaType).filter((mediaType) => mediaType !== 'application/zip'),
);
const unspecific = new Set(['', 'application/octet-stream', 'binary/octet-stream']);
/** How many bytes are examined to recognize text. */
export const sampleBytes = 4096;

export interface MediaType {
  mediaType: string;
  /** The health system declared another media type. */
  isCorrected: boolean;
}

/**
 * The media type of an attachment: the declared one, unless it is missing or unspecific, or its signature is not that
 * of the content.
 * @param declared the Content-Type header, or `Binary.contentType`
 */
export function mediaTypeOf(declared: string | undefined, content: Buffer): MediaType {
  const text = declared?.trim() ?? '';
  const [essence = ''] = text.toLowerCase().split(';');
  const detected = detect(content);
  if (unspecific.has(essence.trim()) || !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(essence.trim()))
    return { mediaType: detected ?? 'application/octet-stream', isCorrected: false };
  const isWrong = signed.has(essence.trim()) && detected !== essence.trim();
  return isWrong
    ? { mediaType: detected ?? 'application/octet-stream', isCorrected: true }
    : { mediaType: text, isCorrected: false };
}

function detect(content: Buffer): string | undefined {
  const signature = signatures.find(([, start]) => content.subarray(0, start.length).equals(start));
  if (signature) return signature[0];
  return isText(content.subarray(0, sampleBytes)) ? 'text/plain; charset=utf-8' : undefined;
}

/** UTF-8 without control characters. The sample may end inside a character. */
function isText(start: Buffer): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what it searches for
  return start.length > 0 && !/[\u0000-\u0008\u000e-\u001f]|\uFFFD(?!.{0,3}$)/s.test(start.toString('utf8'));
}
