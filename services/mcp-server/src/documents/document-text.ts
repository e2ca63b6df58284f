import { ToolError } from '../record/tool-error';
import { isCda, textOfCda, textOfHtml } from './markup';
import { textOfPdf } from './pdf';
import { textOfRtf } from './rtf';

/** The content of an attachment. */
export interface Content {
  /** As the health system states it; it can be absent or wrong. */
  mediaType: string | undefined;
  bytes: Buffer;
}

/**
 * The text of a document: plain text, HTML, RTF, PDF and CDA. The beginning of the content decides where it contradicts
 * its media type.
 * @throws ToolError when the format has no text, or is not supported
 */
export async function textOfDocument({ mediaType, bytes }: Content, signal: AbortSignal): Promise<string> {
  const type = mediaType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const start = bytes.subarray(0, 1024).toString('latin1').trimStart();
  if (start.startsWith('%PDF-')) return textOfPdf(bytes, signal);
  if (start.startsWith('{\\rtf')) return textOfRtf(bytes.toString('latin1'));
  if (/^(image|audio|video)\//.test(type))
    throw new ToolError(
      `The document is of the type ${type}, which has no text. Tell the user; it cannot be read here.`,
    );
  if (isZip(bytes) || type.includes('officedocument') || type === 'application/msword')
    throw new ToolError(`A document of the type ${type || 'application/zip'} cannot be read here. Tell the user.`);
  const text = decode(bytes, mediaType);
  if (isCda(text)) return textOfCda(text);
  if (type.includes('html') || /^(<!doctype html|<html|<div|<body|<p[\s>])/i.test(start)) return textOfHtml(text);
  if (type.endsWith('xml') || start.startsWith('<?xml')) return textOfHtml(text);
  if (type === '' || type.startsWith('text/') || type.endsWith('json')) return text.replaceAll(/\r\n?/g, '\n').trim();
  throw new ToolError(`A document of the type ${type} cannot be read here. Tell the user.`);
}

function isZip(bytes: Buffer): boolean {
  return bytes.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004';
}

/** Decodes text by its byte order mark or stated charset; UTF-8 that is not valid is taken for windows-1252. */
function decode(bytes: Buffer, mediaType = ''): string {
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(mediaType)?.[1];
  for (const name of [byteOrderOf(bytes) ?? charset ?? 'utf-8', 'utf-8']) {
    try {
      return new TextDecoder(name, { fatal: true }).decode(bytes);
    } catch {
      // An unknown charset, or bytes that are not of this charset.
    }
  }
  return new TextDecoder('windows-1252').decode(bytes);
}

function byteOrderOf(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}
