import type { ElementBinding } from '@tributary/fhir-definitions';
import { decimalValue, isDecimal, type JsonValue } from '@tributary/fhir-json';
import { NotConvertible } from '../not-convertible';
import type { ValueConversion } from './change';

/** The R4 primitive types that can hold the values of a primitive type of an older release, the best first. */
const HOLDERS: Readonly<Record<string, readonly string[]>> = {
  id: ['id', 'string'],
  string: ['string', 'markdown'],
  uri: ['uri', 'url', 'canonical'],
  integer: ['integer', 'positiveInt'],
  positiveInt: ['positiveInt', 'unsignedInt', 'integer'],
  date: ['date', 'dateTime'],
  instant: ['instant', 'dateTime'],
  SampledDataDataType: ['string'],
};

/** The R4 types that can hold the values of a primitive type. */
export function holdersOf(sourceType: string): readonly string[] {
  return HOLDERS[sourceType] ?? [sourceType];
}

const NUMBERS = new Set(['decimal', 'integer', 'positiveInt', 'unsignedInt']);
const URIS = new Set(['uri', 'url', 'canonical']);
const DATES = new Set(['date', 'dateTime', 'instant']);
const WHITE_SPACE = /\s/;

/** The conversion of a primitive value: checks its JSON type, and that R4 allows its value. */
export function primitiveConversion(
  path: string,
  sourceType: string,
  r4Type: string,
  binding?: ElementBinding,
  adapt?: (value: string) => string,
): ValueConversion {
  if (sourceType === 'boolean') return booleanConversion(path);
  if (NUMBERS.has(sourceType)) return numberConversion(path, sourceType, r4Type);
  const fits = stringTest(r4Type, binding);
  return (value) => {
    if (typeof value !== 'string') throw new NotConvertible(`${path} must be a JSON string.`);
    const adapted = adapt === undefined ? value : adapt(value);
    return fits === undefined || fits(adapted) ? adapted : undefined;
  };
}

function booleanConversion(path: string): ValueConversion {
  return (value) => {
    if (typeof value !== 'boolean') throw new NotConvertible(`${path} must be true or false.`);
    return value;
  };
}

function numberConversion(path: string, sourceType: string, r4Type: string): ValueConversion {
  const min = r4Type === 'positiveInt' && sourceType === 'integer' ? 1 : -Infinity;
  return (value: JsonValue) => {
    if (!isDecimal(value)) throw new NotConvertible(`${path} must be a JSON number.`);
    return min === -Infinity || decimalValue(value) >= min ? value : undefined;
  };
}

/** What an R4 string type refuses although older releases allowed it. */
function stringTest(r4Type: string, binding: ElementBinding | undefined): ((value: string) => boolean) | undefined {
  if (binding) return (value) => binding.codes.has(value);
  if (URIS.has(r4Type)) return (value) => !WHITE_SPACE.test(value);
  if (DATES.has(r4Type)) return (value) => !value.startsWith('-') && !value.startsWith('0000');
  return undefined;
}
