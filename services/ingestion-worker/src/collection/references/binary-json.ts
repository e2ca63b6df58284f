import { UnreadableResponse } from '../../health-system/request-failures';
import { Base64Decoder } from './base64-decoder';

/** Longer values than this are none of a resource type or of a media type. */
const maxTextBytes = 4096;

type State = 'start' | 'first-key' | 'key' | 'colon' | 'value' | 'literal' | 'nested' | 'string' | 'comma' | 'end';
/** What the string is that the reader is in. */
type Purpose = 'key' | 'text' | 'content' | 'other';

const [quote, backslash] = [0x22, 0x5c];

/**
 * Reads a Binary (https://hl7.org/fhir/R4/binary.html) as JSON in pieces, so that its content is never held as a whole.
 * Of other members only their ends are found: enough to notice JSON that is cut short.
 */
export class BinaryJson {
  /** Known once its member was read. */
  resourceType: string | undefined;
  /** Known once its member was read: usually, but not always, before the content. */
  contentType: string | undefined;
  /** The content has begun. */
  hasContent = false;
  /** The content, when there is any, is left as it is: the JSON is no Binary. */
  isOpaque = false;

  #state: State = 'start';
  #purpose: Purpose = 'other';
  /** After a string. */
  #continuation: State = 'end';
  /** After a value: of a member, or the whole. */
  #afterValue: State = 'comma';
  #depth = 0;
  #key = '';
  /** The bytes of the string, with its escapes. */
  #text = '';
  #escape = '';
  readonly #base64 = new Base64Decoder();

  /** @returns the content in the next piece. @throws UnreadableResponse when it is not JSON, or not base64 */
  push(piece: Buffer): Buffer {
    const decoded: Buffer[] = [];
    for (let at = 0; at < piece.length;) {
      if (this.#state === 'string') at = this.#readString(piece, at, decoded);
      else this.#readByte(String.fromCharCode(piece[at++] ?? 0));
    }
    return decoded.length === 1 && decoded[0] ? decoded[0] : Buffer.concat(decoded);
  }

  /** @throws UnreadableResponse when the JSON is incomplete */
  end(): void {
    if (this.#state !== 'end') throw notJson();
  }

  #readByte(char: string): void {
    if (' \t\r\n'.includes(char)) {
      if (this.#state === 'literal') this.#state = this.#afterValue;
      return;
    }
    switch (this.#state) {
      case 'start':
        if (char !== '[') return this.#expect(char, { '{': 'first-key' });
        this.#afterValue = 'end';
        return this.#beginNested();
      case 'first-key':
        return char === '}' ? this.#expect(char, { '}': 'end' }) : this.#beginKey(char);
      case 'key':
        return this.#beginKey(char);
      case 'colon':
        return this.#expect(char, { ':': 'value' });
      case 'value':
        return this.#beginValue(char);
      case 'literal':
        if (/[\w+.-]/.test(char)) return;
        return this.#expect(char, { ',': 'key', '}': 'end' });
      case 'comma':
        return this.#expect(char, { ',': 'key', '}': 'end' });
      case 'nested':
        return this.#readNested(char);
      case 'end':
      case 'string':
        throw notJson();
    }
  }

  #expect(char: string, following: Record<string, State>): void {
    const state = following[char];
    if (state === undefined) throw notJson();
    this.#state = state;
  }

  #beginKey(char: string): void {
    if (char !== '"') throw notJson();
    this.#beginString('key', 'colon');
  }

  #beginValue(char: string): void {
    if (char === '{' || char === '[') return this.#beginNested();
    if (char !== '"') {
      if (!/[-\dtfn]/.test(char)) throw notJson();
      this.#state = 'literal';
      return;
    }
    const isContent = this.#key === 'data' || this.#key === 'content';
    if (isContent && !this.isOpaque && (this.resourceType ?? 'Binary') === 'Binary') {
      if (this.hasContent) throw new UnreadableResponse('a Binary has two contents');
      this.hasContent = true;
      return this.#beginString('content', this.#afterValue);
    }
    const isText = this.#key === 'resourceType' || this.#key === 'contentType';
    this.#beginString(isText ? 'text' : 'other', this.#afterValue);
  }

  #beginNested(): void {
    this.#state = 'nested';
    this.#depth = 1;
  }

  #readNested(char: string): void {
    if (char === '"') this.#beginString('other', 'nested');
    else if (char === '{' || char === '[') this.#depth++;
    else if ((char === '}' || char === ']') && --this.#depth === 0) this.#state = this.#afterValue;
  }

  #beginString(purpose: Purpose, continuation: State): void {
    this.#state = 'string';
    this.#purpose = purpose;
    this.#continuation = continuation;
    this.#text = '';
  }

  /** Reads to the next escape, or to the end of the string or of the piece. @returns where it stopped */
  #readString(piece: Buffer, at: number, decoded: Buffer[]): number {
    if (this.#escape !== '') return this.#readEscape(piece, at, decoded);
    let end = at;
    while (end < piece.length && piece[end] !== quote && piece[end] !== backslash) end++;
    if (end > at) this.#addToString(piece.subarray(at, end), decoded);
    if (end === piece.length) return end;
    if (piece[end] === backslash) this.#escape = '\\';
    else this.#endString();
    return end + 1;
  }

  #readEscape(piece: Buffer, at: number, decoded: Buffer[]): number {
    this.#escape += String.fromCharCode(piece[at] ?? 0);
    const length = this.#escape[1] === 'u' ? 6 : 2;
    if (this.#escape.length === length) {
      const text = this.#purpose === 'content' ? parseText(this.#escape) : this.#escape;
      this.#escape = '';
      this.#addToString(Buffer.from(text), decoded);
    }
    return at + 1;
  }

  #addToString(bytes: Buffer, decoded: Buffer[]): void {
    if (this.#purpose === 'content') decoded.push(this.#base64.push(bytes));
    // As latin1, so that a character may be in two pieces.
    else if (this.#purpose !== 'other' && this.#text.length < maxTextBytes) this.#text += bytes.toString('latin1');
  }

  #endString(): void {
    this.#state = this.#continuation;
    if (this.#purpose === 'key') this.#key = parseText(this.#text);
    else if (this.#purpose === 'content') this.#base64.end();
    else if (this.#purpose === 'text' && this.#key === 'resourceType') this.resourceType = parseText(this.#text);
    else if (this.#purpose === 'text') this.contentType = parseText(this.#text);
  }
}

/** @param text the bytes of a JSON string, with its escapes */
function parseText(text: string): string {
  try {
    return JSON.parse(`"${Buffer.from(text, 'latin1').toString('utf8')}"`) as string;
  } catch {
    throw notJson();
  }
}

function notJson(): UnreadableResponse {
  return new UnreadableResponse('the body is not JSON');
}
