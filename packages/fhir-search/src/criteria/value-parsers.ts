import { parseDate } from './date';
import { parseNumber, parseQuantity } from './quantity';
import { parseReference } from './reference';
import { parseString } from './string';
import { parseToken } from './token';
import { parseUri } from './uri';
import type { ParseValue } from './value-test';

/** The parser for the values of each search parameter type. Composites are built from these. */
export const valueParsers: ReadonlyMap<string, ParseValue> = new Map(
  Object.entries({
    token: parseToken,
    reference: parseReference,
    uri: parseUri,
    date: parseDate,
    string: parseString,
    number: parseNumber,
    quantity: parseQuantity,
  }),
);
