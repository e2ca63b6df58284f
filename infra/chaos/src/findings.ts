/** A violation of a guarantee to a client. */
export interface Finding {
  kind: 'lost' | 'duplicated' | 'falsely complete';
  /** The ids of this run that it concerns; never contents. */
  what: string;
}

/** The findings of several checks without duplicates. */
export class Findings {
  readonly #found = new Map<string, Finding>();

  /** @param signal an interruption, after which missing responses mean nothing */
  constructor(private readonly signal?: AbortSignal) {}

  add(kind: Finding['kind'], what: string): void {
    if (!this.signal?.aborted) this.#found.set(`${kind} ${what}`, { kind, what });
  }

  count(kind: Finding['kind']): number {
    return this.all().filter((finding) => finding.kind === kind).length;
  }

  all(): Finding[] {
    return [...this.#found.values()];
  }
}
