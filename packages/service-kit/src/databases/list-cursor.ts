/** SQL of the cursor after a row. @param id the column that makes its time unique */
export function cursorSql(id: string): string {
  return `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '_' || ${id}`;
}

/** The time and the id of a cursor. */
export function positionOfCursor(cursor: string | undefined): [at: string | null, id: string | null] {
  if (cursor === undefined) return [null, null];
  const end = cursor.indexOf('_');
  return [cursor.slice(0, end), cursor.slice(end + 1)];
}
