import { DecimalText } from './decimal-text';

/** A value of a FHIR JSON document. A number whose text JavaScript cannot reproduce is a DecimalText. */
export type JsonValue = null | boolean | number | string | DecimalText | JsonValue[] | JsonObject;

/** An object of a FHIR JSON document. A property that is undefined is not written. */
export interface JsonObject {
  [name: string]: JsonValue | undefined;
}

/** A resource, known only by what every resource has. */
export interface Resource extends JsonObject {
  resourceType: string;
  id?: string;
  meta?: ResourceMeta;
}

/** The part of a resource that the server keeps. */
export interface ResourceMeta extends JsonObject {
  versionId?: string;
  lastUpdated?: string;
}

/** True for an object, and false for null, arrays, numbers that kept their text, and plain values. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof DecimalText);
}
