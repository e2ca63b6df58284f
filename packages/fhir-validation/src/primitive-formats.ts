import type { Release } from '@tributary/fhir-definitions';
import { decimalText, isDecimal, isLogicalId, isUuid, type JsonValue } from '@tributary/fhir-json';
import { isDate, isDateTime, isInstant, isTime } from './date-formats';
import type { IssueCode } from './issue';
import { narrativeFault } from './narrative';

/** A fault of a primitive value: the issue type, and the rule as a predicate of the element's name. */
export interface FormatFault {
  readonly code: IssueCode;
  readonly rule: string;
}

/** Checks a value of one primitive type in time linear to its length. */
export type PrimitiveFormat = (value: JsonValue) => FormatFault | undefined;

/**
 * The maximum length of a string in characters: https://hl7.org/fhir/R4/datatypes.html#string. base64Binary and xhtml
 * have none.
 */
export const MAX_STRING_LENGTH = 1024 * 1024;

const structure = (rule: string): FormatFault => ({ code: 'structure', rule });
const invalid = (rule: string): FormatFault => ({ code: 'value', rule });

const EMPTY = invalid('may not be an empty string');
const TOO_LONG: FormatFault = { code: 'too-long', rule: `may not be longer than ${MAX_STRING_LENGTH} characters` };
const NOT_TEXT = structure('must be a JSON string');
const NOT_NUMBER = structure('must be a JSON number');
const NOT_BOOLEAN = structure('must be true or false, as JSON writes them');

/** The format of a string type. */
function text(rule: string, holds: (value: string) => boolean): PrimitiveFormat {
  const broken = invalid(rule);
  return (value) => {
    if (typeof value !== 'string') return NOT_TEXT;
    if (value.length === 0) return EMPTY;
    if (value.length > MAX_STRING_LENGTH) return TOO_LONG;
    return holds(value) ? undefined : broken;
  };
}

/** The format of an integer type. */
function whole(rule: string, min: number): PrimitiveFormat {
  const broken = invalid(rule);
  return (value) => {
    if (!isDecimal(value)) return NOT_NUMBER;
    return Number.isInteger(value) && Number(value) >= min && Number(value) <= MAX_INTEGER ? undefined : broken;
  };
}

const MAX_INTEGER = 2_147_483_647;
const OID = { r4: /^urn:oid:[0-2](?:\.(?:0|[1-9]\d*))+$/, older: /^urn:oid:(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))*$/ };
const UUID_PREFIX = 'urn:uuid:';
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const SAMPLE = /^(?:-?(?:\d+(?:\.\d+)?|\.\d+)|[EUL])$/;
const BAD_SPACE_IN_CODE = /^\s|\s$|\s\s/;

function base64(value: JsonValue): FormatFault | undefined {
  if (typeof value !== 'string') return NOT_TEXT;
  if (value.length === 0) return EMPTY;
  const packed = value.replace(/\s+/g, '');
  return packed.length % 4 === 0 && BASE64.test(packed) ? undefined : invalid('must be base64');
}

function xhtml(value: JsonValue): FormatFault | undefined {
  if (typeof value !== 'string') return NOT_TEXT;
  const rule = narrativeFault(value);
  return rule === undefined ? undefined : invalid(rule);
}

function decimal(release: Release): PrimitiveFormat {
  const withExponent = invalid('may not have an exponent in this release');
  return (value) => {
    if (!isDecimal(value)) return NOT_NUMBER;
    if (release === 'r4' || (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 1e15))
      return undefined;
    return /e/i.test(decimalText(value)) ? withExponent : undefined;
  };
}

/** The formats of the primitive types of a release (https://hl7.org/fhir/R4/datatypes.html#primitive) by name. */
export function primitiveFormats(release: Release): ReadonlyMap<string, PrimitiveFormat> {
  const string = text('must be a string', () => true);
  const uri =
    release === 'r4'
      ? text('may not have white space', (value) => !/\s/.test(value))
      : text('may not begin or end with white space', (value) => value.trim() === value);
  return new Map<string, PrimitiveFormat>([
    ['boolean', (value) => (typeof value === 'boolean' ? undefined : NOT_BOOLEAN)],
    ['integer', whole('must be a whole number of 32 bits', -MAX_INTEGER - 1)],
    ['unsignedInt', whole('must be a whole number from 0 to 2147483647', 0)],
    ['positiveInt', whole('must be a whole number from 1 to 2147483647', 1)],
    ['decimal', decimal(release)],
    ['string', string],
    ['markdown', string],
    [
      'code',
      text('may not begin or end with white space or have two together', (value) => !BAD_SPACE_IN_CODE.test(value)),
    ],
    ['id', text('must be 1 to 64 letters, digits, hyphens and dots', isLogicalId)],
    ['uri', uri],
    ['url', uri],
    ['canonical', uri],
    ['oid', text('must be urn:oid: and an OID', (value) => (release === 'r4' ? OID.r4 : OID.older).test(value))],
    [
      'uuid',
      text(
        'must be urn:uuid: and a UUID in lower case',
        (value) => value.startsWith(UUID_PREFIX) && isUuid(value.slice(UUID_PREFIX.length)),
      ),
    ],
    ['date', text('must be a date: YYYY, YYYY-MM or YYYY-MM-DD', (value) => isDate(release, value))],
    [
      'dateTime',
      text('must be a date, or a date with time and time zone: YYYY-MM-DDThh:mm:ss+zz:zz', (value) =>
        isDateTime(release, value),
      ),
    ],
    [
      'instant',
      text('must be a date with time and time zone: YYYY-MM-DDThh:mm:ss+zz:zz', (value) => isInstant(release, value)),
    ],
    ['time', text('must be a time: hh:mm:ss', (value) => isTime(release, value))],
    ['base64Binary', base64],
    // SampledData.data has a type of its own in DSTU2 and is a string in later releases.
    [
      'SampledDataDataType',
      text('must be decimal numbers, E, U and L with one space between', (value) =>
        value.split(' ').every((sample) => SAMPLE.test(sample)),
      ),
    ],
    ['xhtml', xhtml],
  ]);
}
