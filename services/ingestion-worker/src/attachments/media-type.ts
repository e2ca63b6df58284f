/** Contents that show what they are by their first bytes. */
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
/** Their contents begin as told by the signature, or they are something else. */
const signed = new Set(
  signatures.map(([mediaType]) => mediaType).filter((mediaType) => mediaType !== 'application/zip'),
);
const untold = new Set(['', 'application/octet-stream', 'binary/octet-stream']);
const lookedAt = 4096;

export interface MediaType {
  mediaType: string;
  /** The health system said something else. */
  isCorrected: boolean;
}

/**
 * The media type of an attachment: what the health system says, unless it says nothing, or the content shows that it is wrong.
 * @param told the Content-Type, or what the Binary says
 */
export function mediaTypeOf(told: string | undefined, content: Buffer): MediaType {
  const text = told?.trim() ?? '';
  const [essence = ''] = text.toLowerCase().split(';');
  const shown = shownBy(content);
  if (untold.has(essence.trim()) || !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(essence.trim()))
    return { mediaType: shown ?? 'application/octet-stream', isCorrected: false };
  const isWrong = signed.has(essence.trim()) && shown !== essence.trim();
  return isWrong
    ? { mediaType: shown ?? 'application/octet-stream', isCorrected: true }
    : { mediaType: text, isCorrected: false };
}

function shownBy(content: Buffer): string | undefined {
  const signature = signatures.find(([, start]) => content.subarray(0, start.length).equals(start));
  if (signature) return signature[0];
  return isText(content.subarray(0, lookedAt)) ? 'text/plain; charset=utf-8' : undefined;
}

/** UTF-8 without control characters. The last character may be cut. */
function isText(start: Buffer): boolean {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return start.length > 0 && !/[\u0000-\u0008\u000e-\u001f]|\uFFFD(?!.{0,3}$)/s.test(start.toString('utf8'));
}
