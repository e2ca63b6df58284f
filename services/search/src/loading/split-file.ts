/** The file is neither a Bundle nor an endpoint list, or is truncated. */
export class InvalidFile extends Error {
  override readonly name = 'InvalidFile';
}

/** The member whose elements are read: `entry` of a FHIR Bundle, or `Endpoints` of an endpoint list. */
export type ElementMember = 'entry' | 'Endpoints';

/** An element, or why it was not read. */
export type FileElement = { member: ElementMember } & ({ value: unknown } | { problem: string });

const maxElementBytes = 8 * 1024 * 1024;
const maxRestBytes = 64 * 1024 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Reads the elements of `Bundle.entry`, or of the member `Endpoints` of an endpoint list, one by one from a stream of
 * bytes. Memory holds one element at a time. Which of the formats the file has is known for certain at its end.
 *
 * The splitter only finds the boundaries of the elements, and JSON.parse parses each of them. The JSON around them is
 * kept, with `null` for each element, and parsed at the end: so the file is accepted exactly if it is valid JSON as a
 * whole. No streaming JSON library is used, because building tokens takes 4 times (@streamparser/json) to 14 times
 * (stream-json) the processor time.
 * @throws InvalidFile
 */
export async function* splitFile(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FileElement> {
  const splitter = new Splitter();
  for await (const chunk of bytes) {
    splitter.read(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    for (const element of splitter.take()) yield readElement(element);
  }
  splitter.end();
}

interface SplitElement {
  member: ElementMember;
  /** Undefined when the element is larger than the limit. */
  bytes: Buffer | undefined;
}

function readElement({ member, bytes }: SplitElement): FileElement {
  if (!bytes) return { member, problem: `larger than ${maxElementBytes / 1024 / 1024} MB` };
  try {
    return { member, value: JSON.parse(bytes.toString()) };
  } catch {
    throw new InvalidFile('the file is not well-formed JSON');
  }
}

class Splitter {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #started = false;
  /** The last string at depth 1, which is the name of the current member. */
  #member = '';
  /** The member whose list is being read. */
  #list: ElementMember | undefined;
  readonly #lists = new Set<ElementMember>();
  #inElement = false;
  /** The current element, as subarrays of the chunks. */
  readonly #element = new Pieces(maxElementBytes);
  /** The JSON around the elements. */
  readonly #rest = new Pieces(maxRestBytes);
  readonly #memberName = new Pieces(64);
  #elements: SplitElement[] = [];

  take(): SplitElement[] {
    const elements = this.#elements;
    this.#elements = [];
    return elements;
  }

  read(chunk: Buffer): void {
    let from = this.#skipByteOrderMark(chunk);
    const around: Buffer[] = [];
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
        if (this.#depth === 2 && byte === openBracket) this.#list = elementMembers.get(this.#member);
        else if (this.#depth === 3 && byte === openBrace && this.#list) {
          around.push(chunk.subarray(from, at));
          from = at;
          this.#inElement = true;
        }
      } else if (byte === closeBrace || byte === closeBracket) {
        this.#depth--;
        if (this.#depth === 2 && this.#inElement) {
          this.#element.add(chunk.subarray(from, at + 1));
          this.#elements.push({ member: this.#list!, bytes: this.#element.take() });
          this.#lists.add(this.#list!);
          around.push(nullLiteral);
          from = at + 1;
          this.#inElement = false;
        } else if (this.#depth === 1) this.#list = undefined;
      }
    }
    if (nameFrom >= 0) this.#memberName.add(chunk.subarray(nameFrom));
    if (this.#inElement) this.#element.add(chunk.subarray(from));
    else around.push(chunk.subarray(from));
    // A copy: subarrays would keep whole chunks in memory.
    this.#rest.add(Buffer.concat(around));
  }

  /** @throws InvalidFile unless the input was a complete Bundle or endpoint list */
  end(): void {
    if (!this.#started) throw new InvalidFile('the file is empty');
    if (this.#depth > 0 || this.#inString) throw new InvalidFile('the file ends in the middle: it was cut off');
    const member = memberOf(this.#parseRest());
    if ([...this.#lists].some((read) => read !== member))
      throw new InvalidFile('the file mixes a FHIR Bundle and an endpoint list');
  }

  #parseRest(): unknown {
    const rest = this.#rest.take();
    if (!rest) throw new InvalidFile('the file holds too much outside of its list');
    try {
      return JSON.parse(rest.toString());
    } catch {
      throw new InvalidFile('the file is not well-formed JSON');
    }
  }

  #skipByteOrderMark(chunk: Buffer): number {
    if (this.#started || chunk.length === 0) return 0;
    this.#started = true;
    return chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? 3 : 0;
  }
}

const elementMembers = new Map<string, ElementMember>([
  ['entry', 'entry'],
  ['Endpoints', 'Endpoints'],
]);

/**
 * Returns the member that holds the elements of a file of this format. An empty endpoint list is written as null.
 * @throws InvalidFile when the file has neither of the formats
 */
function memberOf(file: unknown): ElementMember {
  const object = typeof file === 'object' && file !== null ? file : {};
  if ('resourceType' in object && object.resourceType === 'Bundle') {
    if ('entry' in object && !Array.isArray(object.entry)) throw new InvalidFile('Bundle.entry is not a list');
    return 'entry';
  }
  if (!('resourceType' in object) && 'Endpoints' in object) {
    if (!Array.isArray(object.Endpoints) && object.Endpoints !== null)
      throw new InvalidFile('the member Endpoints is not a list');
    return 'Endpoints';
  }
  throw new InvalidFile('the file is neither a FHIR Bundle nor an endpoint list with the member Endpoints');
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
