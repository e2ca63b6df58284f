/** Codes of one system: either these, or all except these. */
interface SystemCodes {
  readonly codes: ReadonlySet<string>;
  /** True: all codes of the system except `codes`. */
  readonly complement: boolean;
}

/** A set of codes of code systems. It can contain all codes of a system without listing them. */
export class CodeSet {
  private constructor(private readonly systems: ReadonlyMap<string, SystemCodes>) {}

  /** These codes of a system. */
  static of(system: string, codes: Iterable<string>): CodeSet {
    return new CodeSet(new Map([[system, { codes: new Set(codes), complement: false }]]));
  }

  /** All codes of a system, including unknown ones. */
  static all(system: string): CodeSet {
    return new CodeSet(new Map([[system, { codes: new Set<string>(), complement: true }]]));
  }

  /** The union of the sets. */
  static union(sets: readonly CodeSet[]): CodeSet {
    const held = new Map<string, Set<string>>();
    const lacking = new Map<string, ReadonlySet<string>>();
    for (const { systems } of sets) {
      for (const [system, { codes, complement }] of systems) {
        const known = complement ? lacking.get(system) : held.get(system);
        if (complement) lacking.set(system, known ? filtered(known, (code) => codes.has(code)) : codes);
        else held.set(system, added(held.get(system) ?? new Set(), codes));
      }
    }
    const systems = new Map<string, SystemCodes>();
    for (const [system, codes] of held) systems.set(system, { codes, complement: false });
    for (const [system, codes] of lacking)
      systems.set(system, { codes: filtered(codes, (code) => !held.get(system)?.has(code)), complement: true });
    return new CodeSet(systems);
  }

  /** The number of listed codes. */
  get size(): number {
    return [...this.systems.values()].reduce((sum, { codes }) => sum + codes.size, 0);
  }

  has(system: string, code: string): boolean {
    const own = this.systems.get(system);
    return own !== undefined && own.codes.has(code) !== own.complement;
  }

  /** Whether it contains this code in any system. */
  hasOfAnySystem(code: string): boolean {
    return [...this.systems.keys()].some((system) => this.has(system, code));
  }

  /** The codes with their systems. Undefined when there are more than `max`, or they include all codes of a system. */
  enumerated(max: number): [system: string, code: string][] | undefined {
    if (this.size > max || [...this.systems.values()].some(({ complement }) => complement)) return undefined;
    return [...this.systems].flatMap(([system, { codes }]) =>
      [...codes].map((code): [string, string] => [system, code]),
    );
  }

  intersection(other: CodeSet): CodeSet {
    return this.narrowed((system) => other.systems.get(system) ?? none);
  }

  /** The codes that the other set does not contain. */
  without(other: CodeSet): CodeSet {
    return this.narrowed((system) => {
      const { codes, complement } = other.systems.get(system) ?? none;
      return { codes, complement: !complement };
    });
  }

  private narrowed(to: (system: string) => SystemCodes): CodeSet {
    return new CodeSet(new Map([...this.systems].map(([system, own]) => [system, common(own, to(system))])));
  }
}

const none: SystemCodes = { codes: new Set(), complement: false };

function common(a: SystemCodes, b: SystemCodes): SystemCodes {
  if (a.complement && b.complement) return { codes: added(new Set(a.codes), b.codes), complement: true };
  const [some, other] = a.complement ? [b, a] : [a, b];
  return { codes: filtered(some.codes, (code) => other.codes.has(code) !== other.complement), complement: false };
}

function filtered(codes: ReadonlySet<string>, keeps: (code: string) => boolean): Set<string> {
  return new Set([...codes].filter(keeps));
}

function added(codes: Set<string>, more: ReadonlySet<string>): Set<string> {
  for (const code of more) codes.add(code);
  return codes;
}
