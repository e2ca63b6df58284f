import { UnsealingError } from '@tributary/key-vault';
import { type TypeCode, typeOfCode } from '../type-codes';

/** A resource but for what the store itself says of it: JSON texts without the braces around them, without line breaks. */
export interface ResourceBody {
  /** The members of `meta` other than versionId and lastUpdated, e.g. `"profile":["x"]`; empty when there are none. */
  readonly meta: string;
  /** All members other than resourceType, id and meta, e.g. `"status":"final","code":{}`; empty when there are none. */
  readonly members: string;
}

/** What the head of a line tells. */
export interface LineHead {
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: number;
}

const ID_LENGTH = 36;
const INSTANT_LENGTH = 24;
const AFTER_ID = '","meta":{"versionId":"';
const AFTER_VERSION = '","lastUpdated":"';

/**
 * The final NDJSON line of a resource, without its line break. Every line starts with type, id, version and time in this
 * one form: exports send it untouched, and whoever reads a line can prove that it is the one asked for.
 */
export function renderLine(typeCode: TypeCode, head: LineHead, body: ResourceBody): string {
  const meta = body.meta === '' ? '' : `,${body.meta}`;
  const members = body.members === '' ? '' : `,${body.members}`;
  return `${beforeId(typeCode)}${head.id}${AFTER_ID}${head.version}${AFTER_VERSION}${new Date(head.lastUpdated).toISOString()}"${meta}}${members}}`;
}

/** Reads the head of a line of this kind. @throws UnsealingError when it has none */
export function readHead(typeCode: TypeCode, line: Buffer): LineHead {
  const idAt = beforeId(typeCode).length;
  const versionAt = idAt + ID_LENGTH + AFTER_ID.length;
  const versionEnd = line.indexOf(0x22, versionAt);
  const timeAt = versionEnd + AFTER_VERSION.length;
  const head: LineHead = {
    id: line.toString('latin1', idAt, idAt + ID_LENGTH),
    version: Number(line.toString('latin1', versionAt, versionEnd)),
    lastUpdated: Date.parse(line.toString('latin1', timeAt, timeAt + INSTANT_LENGTH)),
  };
  if (
    !startsWith(line, `${beforeId(typeCode)}${head.id}${AFTER_ID}${head.version}${AFTER_VERSION}`) ||
    Number.isNaN(head.lastUpdated)
  )
    throw misplaced();
  return head;
}

/** Makes sure that the line is of this very resource and version. @throws UnsealingError when an index row points at another's line */
export function assertLineIs(typeCode: TypeCode, id: string, version: number, line: Buffer): void {
  if (!startsWith(line, `${beforeId(typeCode)}${id}${AFTER_ID}${version}"`)) throw misplaced();
}

const beforeIds = new Map<TypeCode, string>();

function beforeId(typeCode: TypeCode): string {
  let text = beforeIds.get(typeCode);
  if (text === undefined) {
    text = `{"resourceType":"${typeOfCode(typeCode)}","id":"`;
    beforeIds.set(typeCode, text);
  }
  return text;
}

function startsWith(line: Buffer, start: string): boolean {
  return line.toString('latin1', 0, start.length) === start;
}

function misplaced(): UnsealingError {
  return new UnsealingError('the stored line is not of the resource that points to it');
}
