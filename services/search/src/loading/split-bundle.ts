/** The file is not a Bundle, or is truncated. */
export class InvalidBundle extends Error {
  override readonly name = 'InvalidBundle';
}

/** An element of `Bundle.entry`, or why it was not read. */
export type BundleElement = { value: unknown } | { problem: string };

const maxElementBytes = 8 * 1024 * 1024;
const maxRestBytes = 64 * 1024 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Reads the elements of `Bundle.entry` one by one from a stream of bytes. Memory holds one element at a time.
 *
 * The splitter only finds the boundaries of the elements, and JSON.parse parses each of them. The JSON around them is
 * kept, with `null` for each element, and parsed at the end: so the file is accepted exactly if it is valid JSON as a
 * whole. No streaming JSON library is used, because building tokens takes 4 times (@streamparser/json) to 14 times
 * (stream-json) the processor time.
 * @throws InvalidBundle
 */
export async function* splitBundle(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<BundleElement> {
  const splitter = new Splitter();
  for await (const chunk of bytes) {
    splitter.read(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    for (const element of splitter.take()) yield readElement(element);
  }
  splitter.end();
}

function readElement(bytes: Buffer | undefined): BundleElement {
  if (!bytes) return { problem: `larger than ${maxElementBytes / 1024 / 1024} MB` };
  try {
    return { value: JSON.parse(bytes.toString()) };
  } catch {
    throw new InvalidBundle('the file is not well-formed JSON');
  }
}

class Splitter {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #started = false;
  /** The last string at depth 1, which is the name of the current member. */
  #member = '';
  #inEntry = false;
  #inElement = false;
  /** The current element, as subarrays of the chunks. */
  readonly #element = new Pieces(maxElementBytes);
  /** The JSON around the elements. */
  readonly #rest = new GrowingText(maxRestBytes);
  readonly #memberName = new Pieces(64);
  #elements: (Buffer | undefined)[] = [];

  take(): (Buffer | undefined)[] {
    const elements = this.#elements;
    this.#elements = [];
    return elements;
  }

  read(chunk: Buffer): void {
    let from = this.#skipByteOrderMark(chunk);
    let nameFrom = this.#inString && this.#depth === 1 ? 0 : -1;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === backslash) this.#escaped = true;
        else if (byte === quote) {
          this.#inString = false;
          if (nameFrom >= 0) {
            this.#memberName.add(chunk.subarray(nameFrom, at));
            this.#member = this.#memberName.take()?.toString() ?? '';
            nameFrom = -1;
          }
        }
      } else if (byte === quote) {
        this.#inString = true;
        if (this.#depth === 1) nameFrom = at + 1;
      } else if (byte === openBrace || byte === openBracket) {
        this.#depth++;
        if (this.#depth === 2 && byte === openBracket && this.#member === 'entry') this.#inEntry = true;
        else if (this.#depth === 3 && byte === openBrace && this.#inEntry) {
          this.#rest.add(chunk.subarray(from, at));
          from = at;
          this.#inElement = true;
        }
      } else if (byte === closeBrace || byte === closeBracket) {
        this.#depth--;
        if (this.#depth === 2 && this.#inElement) {
          this.#element.add(chunk.subarray(from, at + 1));
          this.#elements.push(this.#element.take());
          this.#rest.add(nullLiteral);
          from = at + 1;
          this.#inElement = false;
        } else if (this.#depth === 1) this.#inEntry = false;
      }
    }
    if (nameFrom >= 0) this.#memberName.add(chunk.subarray(nameFrom));
    if (this.#inElement) this.#element.add(chunk.subarray(from));
    else this.#rest.add(chunk.subarray(from));
  }

  /** @throws InvalidBundle unless the input was a complete Bundle */
  end(): void {
    if (!this.#started) throw new InvalidBundle('the file is empty');
    if (this.#depth > 0 || this.#inString) throw new InvalidBundle('the file ends in the middle: it was cut off');
    let bundle: unknown;
    try {
      bundle = JSON.parse(this.#rest.toString());
    } catch {
      throw new InvalidBundle('the file is not well-formed JSON');
    }
    if (
      typeof bundle !== 'object' ||
      bundle === null ||
      !('resourceType' in bundle) ||
      bundle.resourceType !== 'Bundle'
    )
      throw new InvalidBundle('the file is not a FHIR Bundle');
    if ('entry' in bundle && !Array.isArray(bundle.entry)) throw new InvalidBundle('Bundle.entry is not a list');
  }

  #skipByteOrderMark(chunk: Buffer): number {
    if (this.#started || chunk.length === 0) return 0;
    this.#started = true;
    return chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? 3 : 0;
  }
}

const nullLiteral = Buffer.from('null');

/** Concatenates buffers, up to a limit in bytes. */
class Pieces {
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(private readonly maxBytes: number) {}

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length <= this.maxBytes) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  /** Returns the bytes since the last call; undefined when they exceed the limit. */
  take(): Buffer | undefined {
    const whole =
      this.#length > this.maxBytes
        ? undefined
        : this.#pieces.length === 1
          ? this.#pieces[0]
          : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    return whole;
  }
}

/** Copies bytes to the end of a buffer that doubles when it is full; subarrays would keep whole chunks in memory. */
class GrowingText {
  #block = Buffer.alloc(4096);
  #length = 0;

  constructor(private readonly maxBytes: number) {}

  /** @throws InvalidBundle when the limit is exceeded */
  add(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.maxBytes) throw new InvalidBundle('the file holds too much outside of Bundle.entry');
    if (length > this.#block.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#block.length));
      this.#block.copy(larger, 0, 0, this.#length);
      this.#block = larger;
    }
    bytes.copy(this.#block, this.#length);
    this.#length = length;
  }

  toString(): string {
    return this.#block.toString('utf8', 0, this.#length);
  }
}
