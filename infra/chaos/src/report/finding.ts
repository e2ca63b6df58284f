/** A breach of what was promised to a client. */
export interface Finding {
  kind: 'lost' | 'duplicated' | 'falsely complete';
  /** What it concerns: ids of this run, never contents. */
  what: string;
}

/** Findings of several checks, each once. */
export class Findings {
  readonly #found = new Map<string, Finding>();

  add(kind: Finding['kind'], what: string): void {
    this.#found.set(`${kind} ${what}`, { kind, what });
  }

  addAll(findings: Findings): void {
    for (const { kind, what } of findings.all()) this.add(kind, what);
  }

  count(kind: Finding['kind']): number {
    return this.all().filter((finding) => finding.kind === kind).length;
  }

  all(): Finding[] {
    return [...this.#found.values()];
  }
}
