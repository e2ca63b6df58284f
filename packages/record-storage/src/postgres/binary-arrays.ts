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

/** Makes arrays of a type of fixed width, without null entries. */
function fixedWidth<T>(
  oid: number,
  width: number,
  write: (array: Buffer, value: T, at: number) => void,
): (values: readonly T[]) => Buffer {
  return (values) => {
    const array = header(oid, values.length, (4 + width) * values.length, false);
    let at = HEADER;
    for (const value of values) {
      write(array, value, array.writeInt32BE(width, at));
      at += 4 + width;
    }
    return array;
  };
}

/** `bigint[]` of whole numbers, such as times. */
export const wholeNumberArray = fixedWidth<number>(OID.int8, 8, (array, value, at) => {
  array.writeInt32BE(Math.floor(value / 0x1_0000_0000), at);
  array.writeUInt32BE(value >>> 0, at + 4);
});

/** `integer[]` */
export const integerArray = fixedWidth<number>(OID.int4, 4, (array, value, at) => array.writeInt32BE(value, at));

/** `smallint[]` */
export const smallintArray = fixedWidth<number>(OID.int2, 2, (array, value, at) => array.writeInt16BE(value, at));

/** `uuid[]` */
export const uuidArray = fixedWidth<string>(OID.uuid, 16, (array, value, at) =>
  array.write(value.replaceAll('-', ''), at, 16, 'hex'),
);

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
