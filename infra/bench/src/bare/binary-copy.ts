/** PostgreSQL's binary COPY format (https://www.postgresql.org/docs/18/sql-copy.html, "Binary Format"). */

const bigintType = 20;

export const copyHeader = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
export const copyTrailer = Buffer.from([0xff, 0xff]);

export function copyRow(columns: readonly Buffer[]): Buffer {
  const row = Buffer.allocUnsafe(columns.reduce((sum, column) => sum + 4 + column.length, 2));
  let index = row.writeInt16BE(columns.length, 0);
  for (const column of columns) {
    index = row.writeInt32BE(column.length, index);
    index += column.copy(row, index);
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
  let index = 0;
  for (const number of [1, 0, bigintType, values.length, 1]) index = bytes.writeInt32BE(number, index);
  for (const value of values) index = bytes.writeBigInt64BE(value, bytes.writeInt32BE(8, index));
  return bytes;
}

/** A value of a column in COPY's text format. */
export function textColumn(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t');
}
