/** Collects the parameters of a statement while its text is built; every value goes to the database as a parameter. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Takes a value and gives its place in the text, with its SQL type. */
  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}
