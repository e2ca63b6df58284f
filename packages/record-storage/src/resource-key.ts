import { isUuid } from '@tributary/fhir-json';
import { type TypeCode, typeOfCode } from './type-codes';

/** Identifies a resource within a record. */
export interface ResourceKey {
  readonly typeCode: TypeCode;
  readonly id: string;
}

/** A version of a resource, without content. */
export interface ResourceVersion extends ResourceKey {
  readonly version: number;
  /** Epoch milliseconds. */
  readonly lastUpdated: number;
}

/** A key as text, for maps and sets: `3074/1b4e28ba-…`. */
export function keyText({ typeCode, id }: ResourceKey): string {
  return `${typeCode}/${id}`;
}

/** A key as a relative reference: `Observation/1b4e28ba-…`. */
export function relativeReference({ typeCode, id }: ResourceKey): string {
  return `${typeOfCode(typeCode)}/${id}`;
}

/** Whether a text has the form of the id of a stored resource: a UUID in lower case. */
export function isResourceId(text: string): boolean {
  return isUuid(text);
}
