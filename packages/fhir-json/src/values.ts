import { DecimalText } from './decimal-text';

/**
 * A value of a FHIR JSON document (https://hl7.org/fhir/R4/json.html). A number whose text JavaScript would not
 * reproduce is a DecimalText.
 */
export type JsonValue = null | boolean | number | string | DecimalText | JsonValue[] | JsonObject;

/** An object of a FHIR JSON document. Properties that are undefined are not serialized. */
export interface JsonObject {
  [name: string]: JsonValue | undefined;
}

/** A resource of any type. */
export interface Resource extends JsonObject {
  resourceType: string;
  id?: string;
  meta?: ResourceMeta;
}

/** The metadata of a resource that the server maintains. */
export interface ResourceMeta extends JsonObject {
  versionId?: string;
  lastUpdated?: string;
}

/** Whether a value is a JSON object: not null, an array, a DecimalText or a primitive. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof DecimalText);
}
