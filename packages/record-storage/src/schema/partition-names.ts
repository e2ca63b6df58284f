/**
 * The name of the partition of a table that has the rows whose hash of the user, modulo `modulus`, is `remainder`. The
 * meaning of a name never changes: the tables of another number of partitions have other names, and a name is given and
 * taken away in the transaction that moves the rows, under an ACCESS EXCLUSIVE lock. A statement that waited for this
 * lock looks the name up again, and fails with undefined_table (42P01) before it is executed.
 */
export function partitionName(table: string, modulus: number, remainder: number): string {
  return `${table}_${modulus}_${remainder}`;
}
