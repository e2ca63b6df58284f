/** Collects the parameters of a statement while its text is built; every value goes to the database as a parameter. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Adds a value. Returns its placeholder with its SQL type, such as `$1::bigint`. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}
