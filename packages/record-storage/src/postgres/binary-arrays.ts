/**
 * Arrays in PostgreSQL's binary form. pg sends a Buffer as a binary parameter, so a batch of blocks goes over the wire
 * as it is, neither in hexadecimal nor as text that the server has to parse.
 */
const OID = { bytea: 17, int8: 20, int2: 21, int4: 23, uuid: 2950 } as const;
const HEADER = 20;

function header(oid: number, count: number, bytes: number, hasNull: boolean): Buffer {
  if (count === 0) {
    const empty = Buffer.alloc(12);
    empty.writeInt32BE(oid, 8);
    return empty;
  }
  const array = Buffer.allocUnsafe(HEADER + bytes);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(hasNull ? 1 : 0, 4);
  array.writeInt32BE(oid, 8);
  array.writeInt32BE(count, 12);
  array.writeInt32BE(1, 16);
  return array;
}

/** `bigint[]`; null entries are allowed. */
export function bigintArray(values: readonly (bigint | null)[]): Buffer {
  let nulls = 0;
  for (const value of values) if (value === null) nulls++;
  const array = header(OID.int8, values.length, 12 * values.length - 8 * nulls, nulls > 0);
  let at = HEADER;
  for (const value of values) {
    if (value === null) {
      at = array.writeInt32BE(-1, at);
    } else {
      at = array.writeInt32BE(8, at);
      at = array.writeBigInt64BE(value, at);
    }
  }
  return array;
}

/** `bigint[]` of whole numbers, such as times. */
export function wholeNumberArray(values: readonly number[]): Buffer {
  const array = header(OID.int8, values.length, 12 * values.length, false);
  let at = HEADER;
  for (const value of values) {
    at = array.writeInt32BE(8, at);
    at = array.writeInt32BE(Math.floor(value / 0x1_0000_0000), at);
    at = array.writeUInt32BE(value >>> 0, at);
  }
  return array;
}

/** `integer[]` */
export function integerArray(values: readonly number[]): Buffer {
  const array = header(OID.int4, values.length, 8 * values.length, false);
  let at = HEADER;
  for (const value of values) {
    at = array.writeInt32BE(4, at);
    at = array.writeInt32BE(value, at);
  }
  return array;
}

/** `smallint[]` */
export function smallintArray(values: readonly number[]): Buffer {
  const array = header(OID.int2, values.length, 6 * values.length, false);
  let at = HEADER;
  for (const value of values) {
    at = array.writeInt32BE(2, at);
    at = array.writeInt16BE(value, at);
  }
  return array;
}

/** `uuid[]` */
export function uuidArray(values: readonly string[]): Buffer {
  const array = header(OID.uuid, values.length, 20 * values.length, false);
  let at = HEADER;
  for (const value of values) {
    at = array.writeInt32BE(16, at);
    at += array.write(value.replaceAll('-', ''), at, 16, 'hex');
  }
  return array;
}

/** `bytea[]` */
export function byteaArray(values: readonly Buffer[]): Buffer {
  const bytes = values.reduce((sum, value) => sum + 4 + value.length, 0);
  const array = header(OID.bytea, values.length, bytes, false);
  let at = HEADER;
  for (const value of values) {
    at = array.writeInt32BE(value.length, at);
    at += value.copy(array, at);
  }
  return array;
}
