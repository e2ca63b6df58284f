import { type JsonValue, MAX_DEPTH, decimalText, isDecimal, isJsonObject } from '@tributary/fhir-json';
import { PatchError } from './patch-error';

/** Operations of one patch. */
const maxOperations = 1000;
/** Characters of a path or JSON Pointer. */
const maxPathLength = 2000;
/** Bytes of JSON, about, that all operations of a patch copy into the resource. As much as a request body may have. */
const maxCopiedBytes = 20 * 1024 * 1024;

/**
 * Bounds the work of one patch. A `copy` doubles the document, so a patch of a few operations could otherwise fill the memory; a document that gets
 * deeper than the parser accepts could be stored but never read again.
 */
export class PatchBudget {
  #bytes = 0;

  /** @throws PatchError when there are more operations than one patch may have */
  static assertOperations(count: number): void {
    if (count > maxOperations) throw new PatchError('too-costly', `a patch may have ${maxOperations} operations`);
  }

  /** @throws PatchError when the path is longer than one may be */
  static assertPath(path: string, label: string): void {
    if (path.length > maxPathLength)
      throw new PatchError('too-costly', `${label}: a path may have ${maxPathLength} characters`);
  }

  /**
   * A copy whose objects and arrays are its own.
   * @param depth how many objects and arrays enclose the place of the copy
   * @throws PatchError when all copies together are too large, or the copy lies too deep
   */
  copy<T extends JsonValue>(value: T, depth: number, label: string): T {
    this.#bytes += sizeOf(value);
    if (this.#bytes > maxCopiedBytes)
      throw new PatchError(
        'too-costly',
        `${label}: the patch adds more than ${maxCopiedBytes / 1024 / 1024} MB to the resource`,
      );
    if (!Array.isArray(value) && !isJsonObject(value)) return value;
    const inner = nextDepth(depth, label);
    if (Array.isArray(value)) return value.map((item) => this.copy(item, inner, label)) as T;
    const members = Object.entries(value).map(([name, member]) => {
      this.#bytes += name.length + 3;
      return [name, member === undefined ? undefined : this.copy(member, inner, label)];
    });
    return Object.fromEntries(members) as T;
  }
}

/**
 * Asserts that nothing in the value lies deeper than the parser accepts.
 * @param depth how many objects and arrays enclose the place of the value
 * @throws PatchError
 */
export function assertDepth(value: JsonValue, depth: number, label: string): void {
  if (!Array.isArray(value) && !isJsonObject(value)) return;
  const children = Array.isArray(value) ? value : Object.values(value);
  const inner = nextDepth(depth, label);
  for (const child of children) if (child !== undefined) assertDepth(child, inner, label);
}

function nextDepth(depth: number, label: string): number {
  if (depth >= MAX_DEPTH)
    throw new PatchError('too-costly', `${label}: the resource would be nested deeper than ${MAX_DEPTH} levels`);
  return depth + 1;
}

function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return value.length + 3;
  return isDecimal(value) ? decimalText(value).length + 1 : 4;
}
