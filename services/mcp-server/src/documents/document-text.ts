import { join } from 'node:path';
import { z } from 'zod';
import { ToolError } from '../record/tool-error';
import { runLimited } from './limited-process';
import { isCda } from './markup';
import { type LimitedText, limitedText } from './text-layout';

/** The content of an attachment. */
export interface Content {
  /** As the health system states it; it can be absent or wrong. */
  mediaType: string | undefined;
  bytes: Buffer;
}

/** Formats that are parsed in a process of their own. */
type ParsedFormat = 'pdf' | 'rtf' | 'html' | 'cda';

/**
 * The text of a document: plain text, HTML, RTF, PDF and CDA. The beginning of the content decides where it contradicts
 * its media type.
 * @throws ToolError when the format has no text, is not supported, or cannot be read
 */
export async function textOfDocument({ mediaType, bytes }: Content, signal: AbortSignal): Promise<LimitedText> {
  const type = mediaType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const start = bytes.subarray(0, 1024).toString('latin1').trimStart();
  if (start.startsWith('%PDF-')) return parse('pdf', bytes, signal);
  if (start.startsWith('{\\rtf')) return parse('rtf', bytes, signal);
  if (/^(image|audio|video)\//.test(type))
    throw new ToolError(
      `The document is of the type ${type}, which has no text. Tell the user; it cannot be read here.`,
    );
  const isZip = bytes.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004';
  if (isZip || type.includes('officedocument') || type === 'application/msword')
    throw new ToolError(`A document of the type ${type || 'application/zip'} cannot be read here. Tell the user.`);
  const text = decode(bytes, mediaType);
  if (isCda(text)) return parse('cda', Buffer.from(text), signal);
  if (type.includes('html') || type.endsWith('xml') || /^(<!doctype html|<html|<div|<body|<p[\s>]|<\?xml)/i.test(start))
    return parse('html', Buffer.from(text), signal);
  if (type === '' || type.startsWith('text/') || type.endsWith('json'))
    return limitedText(text.replaceAll(/\r\n?/g, '\n').trim());
  throw new ToolError(`A document of the type ${type} cannot be read here. Tell the user.`);
}

const script = join(__dirname, '..', '..', 'dist', 'documents', 'read-document-process.js');
const limits = { processorSeconds: 20, timeMs: 120_000, heapMb: 256, memoryMb: 1100, outputLength: 16_000_000 };
const parsed = z.object({ text: z.string(), isCutOff: z.boolean(), pages: z.int().optional() });

/** The text of a document that a process of its own parses, since its content can be hostile. */
async function parse(format: ParsedFormat, content: Buffer, signal: AbortSignal): Promise<LimitedText> {
  let text: z.output<typeof parsed>;
  try {
    text = parsed.parse(JSON.parse(await runLimited(script, [format], content, limits, signal)));
  } catch {
    signal.throwIfAborted();
    throw new ToolError('The document cannot be read: it is damaged, encrypted or too complex. Tell the user.');
  }
  if (text.pages !== undefined && text.text === '')
    throw new ToolError(
      `The PDF has ${text.pages} pages of pictures, such as scans, and no text. Tell the user; it cannot be read here.`,
    );
  return text;
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
