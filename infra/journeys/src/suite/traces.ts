/** Values that must not be readable in stored text, by what they are: texts, or bytes. */
export type Secrets = Readonly<Record<string, string | Buffer>>;

/**
 * The texts by which a value can be recognized in a dump of the database: as it is, in hexadecimal as PostgreSQL prints
 * `bytea`, and in base64 and base64url at each of the three offsets that it can have in a longer text.
 */
function tracesOf(value: string | Buffer): string[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The first and the last character also depend on what stands before and after the value.
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  const base64url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const texts = typeof value === 'string' ? [value, JSON.stringify(value).slice(1, -1)] : [];
  return [...new Set([...texts, bytes.toString('hex'), ...base64, ...base64url])];
}

/** Finds secrets in text, in any of the forms of `tracesOf`. */
export class TraceFinder {
  readonly #names = new Map<string, string>();
  readonly #pattern: RegExp;

  /** @throws Error when a value is so short that it occurs by chance */
  constructor(secrets: Secrets) {
    for (const [name, value] of Object.entries(secrets)) {
      if (value.length < 9) throw new Error(`${name} has a length of ${value.length}, and can occur by chance`);
      for (const trace of tracesOf(value)) this.#names.set(trace, name);
    }
    const alternatives = [...this.#names.keys()].map((trace) => trace.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
    this.#pattern = new RegExp(alternatives.join('|'), 'g');
  }

  /** @returns the names of the secrets that the text contains */
  find(text: string): string[] {
    return [...new Set([...text.matchAll(this.#pattern)].map(([trace]) => this.#names.get(trace) ?? ''))];
  }
}
