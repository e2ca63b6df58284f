/** The content of a Binary resource (https://hl7.org/fhir/R4/binary.html). */
export interface BinaryContent {
  /** The id of the resource. */
  readonly id: string;
  /** The media type that the resource states. */
  readonly contentType: string | undefined;
  /** The reference of `securityContext`. */
  readonly securityContext: string | undefined;
  /** The number of bytes. */
  readonly length: number;
  /** The content in base64, without padding. */
  readonly base64: string;
  /** Decodes the bytes from `start` up to `end`, exclusive, in pieces. */
  bytes(start?: number, end?: number): Generator<Buffer>;
}

const quote = 0x22;
const backslash = 0x5c;
const openings: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const closings: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const [comma, colon] = [0x2c, 0x3a];

/** Bytes of content in a piece; a multiple of three, so that a piece ends at a boundary of base64. */
const pieceBytes = 48 * 1024;

/**
 * The content of a Binary of any release: `data` since R4, `content` before. The base64 text is decoded from the JSON
 * in pieces, so that neither the text nor the content is copied as a whole.
 * @param json a Binary as JSON in UTF-8, as the record storage returns it
 */
export function binaryContent(json: Buffer): BinaryContent {
  const members = membersOf(json);
  let found: Buffer | undefined;
  const text = (): Buffer => (found ??= base64Text(members.get('data') ?? members.get('content')));
  const length = (): number => Math.floor((text().length * 3) / 4);
  return {
    id: asString(parsed(members.get('id'))) ?? '',
    contentType: asString(parsed(members.get('contentType'))),
    securityContext: asString((parsed(members.get('securityContext')) as { reference?: unknown } | null)?.reference),
    get length() {
      return length();
    },
    get base64() {
      return text().toString('latin1');
    },
    *bytes(start = 0, end = length()) {
      for (let at = start - (start % 3); at < end; at += pieceBytes) {
        const from = (at / 3) * 4;
        const piece = Buffer.from(text().toString('latin1', from, from + (pieceBytes / 3) * 4), 'base64');
        yield piece.subarray(Math.max(0, start - at), end - at);
      }
    },
  };
}

/** The values of the members of an object, as JSON. */
function membersOf(json: Buffer): Map<string, Buffer> {
  const members = new Map<string, Buffer>();
  let depth = 0;
  let name: string | undefined;
  let valueAt = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number;
    const ends = depth === 1 && (byte === comma || closings.has(byte));
    if (ends && name !== undefined) {
      members.set(name, json.subarray(valueAt, at));
      name = undefined;
    }
    if (openings.has(byte)) depth++;
    else if (closings.has(byte)) depth--;
    else if (byte === quote) {
      const end = endOfString(json, at);
      if (depth === 1 && name === undefined) {
        name = json.toString('utf8', at + 1, end);
        at = json.indexOf(colon, end);
        valueAt = at + 1;
      } else at = end;
    }
  }
  return members;
}

/** The position of the quotation mark that ends the string that begins at this one. */
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf(quote, start + 1); end >= 0; end = json.indexOf(quote, end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}

/** The base64 text of a JSON string, without white space and padding. */
function base64Text(value: Buffer | undefined): Buffer {
  if (value === undefined || value[0] !== quote) return Buffer.alloc(0);
  const text = value.subarray(1, -1);
  const padding = text.indexOf('=');
  const unpadded = padding < 0 ? text : text.subarray(0, padding);
  if (isBase64(unpadded)) return unpadded;
  // Content with white space, or damaged content, is decoded as a whole, as Buffer does it.
  const content = Buffer.from(String(parsed(value)), 'base64');
  return Buffer.from(content.toString('base64url'), 'latin1');
}

const alphabet = new Uint8Array(256);
for (const character of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_'))
  alphabet[character] = 1;

function isBase64(text: Buffer): boolean {
  for (let at = 0; at < text.length; at++) if (alphabet[text[at] as number] === 0) return false;
  // A single character of the last group holds no whole byte.
  return text.length % 4 !== 1;
}

function parsed(value: Buffer | undefined): unknown {
  return value === undefined ? null : JSON.parse(value.toString('utf8'));
}

function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
