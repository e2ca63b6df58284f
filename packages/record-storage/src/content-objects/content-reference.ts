import type { RecordKeys } from '../keys/record-keys';

/** Content that is in the object storage, in place of which the JSON of a resource has a reference. */
export interface ContentReference {
  readonly objectId: string;
  /** The number of bytes. */
  readonly length: number;
}

/** A reference in JSON: the value of a base64Binary, from its first character up to `end`, exclusive. */
export interface FoundReference extends ContentReference {
  readonly start: number;
  readonly end: number;
}

/*
 * A reference is itself a valid base64Binary, so that validation, patches and conversions take it as any other content:
 * magic (18 bytes) | object id (16) | length (7) | code (16), in base64. The code is a keyed hash that only the storage
 * can make, so what a client or a health system sends is never taken for a reference.
 */
const MAGIC = Buffer.from('tributary-content:', 'latin1');
const ID_BYTES = 16;
const LENGTH_BYTES = 7;
const CODE_BYTES = 16;
const REFERENCE_BYTES = MAGIC.length + ID_BYTES + LENGTH_BYTES + CODE_BYTES;
const REFERENCE_CHARACTERS = (REFERENCE_BYTES / 3) * 4;
/** The beginning of every reference, with the quotation mark of the JSON string. */
const BEGINNING = `"${MAGIC.toString('base64')}`;

/** The base64Binary that stands for an object in the JSON of a resource. */
export function renderReference(keys: RecordKeys, { objectId, length }: ContentReference): string {
  const named = Buffer.concat([MAGIC, Buffer.from(objectId.replaceAll('-', ''), 'hex'), Buffer.alloc(LENGTH_BYTES)]);
  // Six of the seven bytes can hold every length.
  named.writeUIntBE(length, named.length - 6, 6);
  return Buffer.concat([named, keys.referenceCode(named)]).toString('base64');
}

/** Whether JSON may contain references; cheap, and rarely wrong. */
export function mayHaveReferences(json: Buffer | string): boolean {
  return json.includes(BEGINNING);
}

/** The references in JSON, in their order. */
export function findReferences(keys: RecordKeys, json: Buffer): FoundReference[] {
  const found: FoundReference[] = [];
  for (let at = json.indexOf(BEGINNING); at >= 0; at = json.indexOf(BEGINNING, at + 1)) {
    const start = at + 1;
    const end = start + REFERENCE_CHARACTERS;
    const reference = readReference(keys, json.toString('latin1', start, end));
    if (reference) found.push({ ...reference, start, end });
  }
  return found;
}

/** The object for which a base64Binary stands; undefined when it is content. */
export function readReference(keys: RecordKeys, text: string): ContentReference | undefined {
  if (text.length !== REFERENCE_CHARACTERS) return undefined;
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== REFERENCE_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const named = bytes.subarray(0, -CODE_BYTES);
  if (!bytes.subarray(-CODE_BYTES).equals(keys.referenceCode(named))) return undefined;
  const id = named.toString('hex', MAGIC.length, MAGIC.length + ID_BYTES);
  return {
    objectId: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    length: named.readUIntBE(named.length - 6, 6),
  };
}

/** The length of JSON with content in place of what looks like a reference; never less than its own. */
export function wholeLength(json: Buffer | string): number {
  let length = json.length;
  for (let at = json.indexOf(BEGINNING); at >= 0; at = json.indexOf(BEGINNING, at + 1)) {
    const [start, end] = [at + 1, at + 1 + REFERENCE_CHARACTERS];
    const bytes = Buffer.from(
      typeof json === 'string' ? json.slice(start, end) : json.toString('latin1', start, end),
      'base64',
    );
    if (bytes.length !== REFERENCE_BYTES) continue;
    const content = base64Length(bytes.readUIntBE(REFERENCE_BYTES - CODE_BYTES - 6, 6));
    length += Math.max(0, content - REFERENCE_CHARACTERS);
  }
  return length;
}

/** The number of characters of content in base64. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
