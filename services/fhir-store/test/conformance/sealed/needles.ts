import { type JsonValue, type Resource, decimalText, isDecimal, isJsonObject } from '@tributary/fhir-json';

/**
 * Shorter ones are found in any megabytes of random bytes: four characters have 4 billion values, a dump has millions
 * of places.
 */
export const shortest = 5;
const longest = 64;
const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2}))?$/;
const isUuid = /^(urn:uuid:)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const uuidLength = 36;
/** The zero of PostgreSQL's timestamps. */
const postgresEpoch = Date.UTC(2000, 0, 1);

/**
 * Every text of the resources - names, identifiers, codes, ids, dates, narrative, digits of numbers - whole, and its
 * words. Not the bits of numbers: by the design an index row holds the number of a quantity as it is, under a blinded
 * name; a dump does not show what it measures.
 */
export function textsOf(resources: Iterable<Resource>): Set<string> {
  const texts = new Set<string>();
  const add = (text: string): void => {
    if (Buffer.byteLength(text) >= shortest) texts.add(text.slice(0, longest));
  };
  const visit = (value: JsonValue | undefined): void => {
    if (typeof value === 'string') {
      add(value);
      for (const word of value.split(/[^\p{L}\p{N}]+/u)) add(word);
    } else if (Array.isArray(value)) value.forEach(visit);
    else if (isJsonObject(value)) Object.values(value).forEach(visit);
    else if (isDecimal(value)) add(decimalText(value));
  };
  for (const resource of resources) visit(resource);
  return texts;
}

/** The byte patterns that would give a text away, by how it would have been written. */
export function patternsOf(text: string): Map<string, Buffer> {
  const plain = Buffer.from(text, 'utf8');
  const hex = plain.toString('hex');
  const patterns = new Map<string, Buffer>([
    ['plain', plain],
    ['lower case', Buffer.from(text.toLowerCase())],
    ['reversed', Buffer.from(plain).reverse()],
    ['UTF-16', Buffer.from(text, 'utf16le')],
    ['hex', Buffer.from(hex)],
    ['HEX', Buffer.from(hex.toUpperCase())],
  ]);
  for (const offset of [0, 1, 2]) {
    const aligned = alignedBase64(plain, offset);
    patterns.set(`base64 at ${offset}`, Buffer.from(aligned));
    patterns.set(`base64url at ${offset}`, Buffer.from(aligned.replaceAll('+', '-').replaceAll('/', '_')));
  }
  if (isUuid.test(text)) {
    const bytes = Buffer.from(text.slice(-uuidLength).replaceAll('-', ''), 'hex');
    patterns.set('UUID', bytes).set('reversed UUID', Buffer.from(bytes).reverse());
  }
  if (isDate.test(text)) for (const [name, bytes] of momentPatterns(Date.parse(text))) patterns.set(name, bytes);
  return patterns;
}

/** The characters of base64 that a text decides alone when so many bytes stand before it. */
function alignedBase64(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

/** A moment as the numbers that programs make of it, in both byte orders. */
function momentPatterns(milliseconds: number): [string, Buffer][] {
  const numbers: [string, bigint][] = [
    ['milliseconds', BigInt(milliseconds)],
    ['seconds', BigInt(Math.floor(milliseconds / 1000))],
    ['PostgreSQL timestamp', BigInt(milliseconds - postgresEpoch) * 1000n],
  ];
  return numbers.flatMap(([name, number]) => {
    const [integer, float] = [Buffer.alloc(8), Buffer.alloc(8)];
    integer.writeBigInt64BE(number);
    float.writeDoubleBE(Number(number));
    const both: [string, Buffer][] = [
      [`${name}`, integer],
      [`${name} as float`, float],
    ];
    return [
      ...both,
      ...both.map(([each, bytes]): [string, Buffer] => [`reversed ${each}`, Buffer.from(bytes).reverse()]),
    ];
  });
}
