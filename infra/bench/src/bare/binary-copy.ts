/** PostgreSQL's binary COPY format: what a column holds, as bytes; undefined is NULL. */

const bigintType = 20;

export const copyHeader = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
export const copyTrailer = Buffer.from([0xff, 0xff]);

export function copyRow(columns: readonly Buffer[]): Buffer {
  const row = Buffer.allocUnsafe(columns.reduce((sum, column) => sum + 4 + column.length, 2));
  let place = row.writeInt16BE(columns.length, 0);
  for (const column of columns) {
    place = row.writeInt32BE(column.length, place);
    place += column.copy(row, place);
  }
  return row;
}

export function bigintColumn(value: bigint | number): Buffer {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}

export function smallintColumn(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeInt16BE(value);
  return bytes;
}

export function uuidColumn(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

export function bigintsColumn(values: readonly bigint[]): Buffer {
  const bytes = Buffer.allocUnsafe(20 + values.length * 12);
  let place = 0;
  for (const number of [1, 0, bigintType, values.length, 1]) place = bytes.writeInt32BE(number, place);
  for (const value of values) place = bytes.writeBigInt64BE(value, bytes.writeInt32BE(8, place));
  return bytes;
}

/** A value of a column in COPY's text format. */
export function textColumn(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
}
