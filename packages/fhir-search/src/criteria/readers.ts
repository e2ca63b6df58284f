import { readDate } from './date';
import { readNumber, readQuantity } from './quantity';
import { readReference } from './reference';
import { readString } from './string';
import { readToken } from './token';
import { readUri } from './uri';
import type { ReadValue } from './value-test';

/** How a value of each type of parameter is read; composites are made of these. */
export const readers: Record<string, ReadValue> = {
  token: readToken,
  reference: readReference,
  uri: readUri,
  date: readDate,
  string: readString,
  number: readNumber,
  quantity: readQuantity,
};
