import { type TypeCode, typeOfCode } from './type-codes';

/** Identifies a resource within a record. */
export interface ResourceKey {
  readonly typeCode: TypeCode;
  readonly id: string;
}

/** A key as text, for maps and sets: `3074/1b4e28ba-…`. */
export function keyText({ typeCode, id }: ResourceKey): string {
  return `${typeCode}/${id}`;
}

/** A key as a relative reference: `Observation/1b4e28ba-…`. */
export function relativeReference({ typeCode, id }: ResourceKey): string {
  return `${typeOfCode(typeCode)}/${id}`;
}

const resourceId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text has the form of the id of a stored resource: a UUID in lower case. */
export function isResourceId(text: string): boolean {
  return resourceId.test(text);
}
