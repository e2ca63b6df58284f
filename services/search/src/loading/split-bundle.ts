/** The file is no Bundle, or not all of one. */
export class InvalidBundle extends Error {
  override readonly name = 'InvalidBundle';
}

/** One element of `Bundle.entry`; `problem` says why it could not be read. */
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
 * Reads the elements of a Bundle's `entry` one by one out of a stream of bytes; memory holds one element, however large the file is.
 *
 * It only looks for the boundaries of the elements; JSON.parse reads each of them. What stands around them is kept, with `null` in the place of each
 * element, and read by JSON.parse at the end: so exactly the files that are JSON as a whole pass, and one that was cut off does not. That is why no
 * JSON streaming library is used: to build tokens first costs 4 times (@streamparser/json) to 14 times (stream-json) the processor time.
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
  /** The text of the last string at the top level: the name of the member that follows. */
  #member = '';
  #inEntry = false;
  #inElement = false;
  /** Pieces of the element that is being read, as parts of the chunks they came in. */
  readonly #element = new Pieces(maxElementBytes);
  /** What stands around the elements. */
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
          this.#rest.add(placeholder);
          from = at + 1;
          this.#inElement = false;
        } else if (this.#depth === 1) this.#inEntry = false;
      }
    }
    if (nameFrom >= 0) this.#memberName.add(chunk.subarray(nameFrom));
    if (this.#inElement) this.#element.add(chunk.subarray(from));
    else this.#rest.add(chunk.subarray(from));
  }

  /** @throws InvalidBundle unless what was read is a whole Bundle */
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

const placeholder = Buffer.from('null');

/** Bytes put together from pieces, up to a limit. */
class Pieces {
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(private readonly most: number) {}

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length <= this.most) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  /** What was put together since the last time; undefined when it was too much. */
  take(): Buffer | undefined {
    const whole =
      this.#length > this.most ? undefined : this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    return whole;
  }
}

/** Bytes that are copied to the end of one block, which doubles when it is full: parts of chunks would keep whole chunks in memory. */
class GrowingText {
  #block = Buffer.alloc(4096);
  #length = 0;

  constructor(private readonly most: number) {}

  /** @throws InvalidBundle when it becomes too much */
  add(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.most) throw new InvalidBundle('the file holds too much outside of Bundle.entry');
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
