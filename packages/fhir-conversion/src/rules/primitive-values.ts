import type { ElementBinding } from '@tributary/fhir-definitions';
import { decimalValue, isDecimal, type JsonValue } from '@tributary/fhir-json';
import { NotConvertible } from '../not-convertible';
import type { ValueConverter } from './element-rule';

/** The R4 types for the values of a primitive type of an older release, in order of preference. */
const TARGET_TYPES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    id: ['id', 'string'],
    string: ['string', 'markdown'],
    uri: ['uri', 'url', 'canonical'],
    integer: ['integer', 'positiveInt'],
    positiveInt: ['positiveInt', 'unsignedInt', 'integer'],
    date: ['date', 'dateTime'],
    instant: ['instant', 'dateTime'],
    SampledDataDataType: ['string'],
  }),
);

/** The R4 types for the values of a primitive type, in order of preference. */
export function targetTypesOf(sourceType: string): readonly string[] {
  return TARGET_TYPES.get(sourceType) ?? [sourceType];
}

const NUMBERS = new Set(['decimal', 'integer', 'positiveInt', 'unsignedInt']);
const URIS = new Set(['uri', 'url', 'canonical']);
const DATES = new Set(['date', 'dateTime', 'instant']);
const WHITE_SPACE = /\s/;

/**
 * The conversion of a primitive value. It throws NotConvertible for a wrong JSON type, and returns undefined for a
 * value that R4 refuses.
 */
export function primitiveConversion(
  path: string,
  sourceType: string,
  r4Type: string,
  binding?: ElementBinding,
  adapt?: (value: string) => string,
): ValueConverter {
  if (sourceType === 'boolean') return booleanConversion(path);
  if (NUMBERS.has(sourceType)) return numberConversion(path, sourceType, r4Type);
  const fits = stringTest(r4Type, binding);
  return (value) => {
    if (typeof value !== 'string') throw new NotConvertible(`${path} must be a JSON string.`);
    const adapted = adapt === undefined ? value : adapt(value);
    return fits === undefined || fits(adapted) ? adapted : undefined;
  };
}

function booleanConversion(path: string): ValueConverter {
  return (value) => {
    if (typeof value !== 'boolean') throw new NotConvertible(`${path} must be true or false.`);
    return value;
  };
}

function numberConversion(path: string, sourceType: string, r4Type: string): ValueConverter {
  const min = r4Type === 'positiveInt' && sourceType === 'integer' ? 1 : -Infinity;
  return (value: JsonValue) => {
    if (!isDecimal(value)) throw new NotConvertible(`${path} must be a JSON number.`);
    return min === -Infinity || decimalValue(value) >= min ? value : undefined;
  };
}

/** The test for values that older releases allow and the R4 type does not. */
function stringTest(r4Type: string, binding: ElementBinding | undefined): ((value: string) => boolean) | undefined {
  if (binding) return (value) => binding.codes.has(value);
  if (URIS.has(r4Type)) return (value) => !WHITE_SPACE.test(value);
  if (DATES.has(r4Type)) return (value) => !value.startsWith('-') && !value.startsWith('0000');
  return undefined;
}
