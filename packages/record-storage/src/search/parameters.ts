/** Collects the parameters of a statement while its text is built; every value goes to the database as a parameter. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Adds a value. Returns its placeholder with its SQL type, such as `$1::bigint`. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }

  /** Adds the values of a row. Returns the row of their placeholders. */
  addRow(...values: readonly (readonly [value: unknown, type: string])[]): string {
    return `(${values.map(([value, type]) => this.add(value, type)).join(', ')})`;
  }
}
