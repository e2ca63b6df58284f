export { binaryContent, type BinaryContent } from './binary-content';
export { parseDateTime, parseDateTimeParameter, type DateTime, type DateTimePrecision } from './date-time';
export { DecimalText } from './decimal-text';
export { JsonError } from './json-error';
export { decimalText, decimalValue, isDecimal, type JsonNumber } from './numbers';
export { MAX_DEPTH } from './exact-parser';
export { parseJson, stringifyJson, type ParseOptions } from './json';
export { isLogicalId, isUuid, parseReference, type RestfulReference } from './reference';
export { isJsonObject, type JsonObject, type JsonValue, type Resource, type ResourceMeta } from './values';
