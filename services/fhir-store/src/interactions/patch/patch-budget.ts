import { type JsonValue, MAX_DEPTH, decimalText, isDecimal, isJsonObject } from '@tributary/fhir-json';
import { maxResourceBytes, tooCostly } from '../../fhir-http/limits';

/** The limit of operations in one patch. */
const maxOperations = 1000;
/** The limit of a path or JSON Pointer, in characters. */
const maxPathLength = 2000;
/** The limit of the JSON that one patch copies into the resource, in bytes, estimated. */
const maxCopiedBytes = maxResourceBytes;

/**
 * Limits the work of one patch. A `copy` can double the document, so few operations could exhaust the memory. A
 * document that is nested deeper than the parser accepts could be stored but not read.
 */
export class PatchBudget {
  #bytes = 0;

  /** @throws FhirError when a patch has too many operations */
  static assertOperations(count: number): void {
    if (count > maxOperations) throw tooCostly(`a patch may have ${maxOperations} operations`);
  }

  /** @throws FhirError when a path is too long */
  static assertPath(path: string, label: string): void {
    if (path.length > maxPathLength) throw tooCostly(`${label}: a path may have ${maxPathLength} characters`);
  }

  /**
   * A deep copy.
   * @param depth the number of objects and arrays that enclose the copy
   * @throws FhirError when all copies together are too large, or the copy is nested too deeply
   */
  copy<T extends JsonValue>(value: T, depth: number, label: string): T {
    this.#bytes += sizeOf(value);
    if (this.#bytes > maxCopiedBytes)
      throw tooCostly(`${label}: the patch adds more than ${maxCopiedBytes / 1024 / 1024} MB to the resource`);
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
 * Asserts that a value is not nested deeper than the parser accepts.
 * @param depth the number of objects and arrays that enclose the value
 * @throws FhirError when the value is nested too deeply
 */
export function assertDepth(value: JsonValue, depth: number, label: string): void {
  if (!Array.isArray(value) && !isJsonObject(value)) return;
  const children = Array.isArray(value) ? value : Object.values(value);
  const inner = nextDepth(depth, label);
  for (const child of children) if (child !== undefined) assertDepth(child, inner, label);
}

function nextDepth(depth: number, label: string): number {
  if (depth >= MAX_DEPTH) throw tooCostly(`${label}: the resource would be nested deeper than ${MAX_DEPTH} levels`);
  return depth + 1;
}

function sizeOf(value: JsonValue): number {
  if (typeof value === 'string') return value.length + 3;
  return isDecimal(value) ? decimalText(value).length + 1 : 4;
}
