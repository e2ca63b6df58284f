import type { CodeSystem, ValueSetPart, ValueSetTable } from '@tributary/fhir-definitions';
import { CodeSet } from './code-set';

/** Where an expansion finds what value sets are made of. */
interface Definitions {
  definition(url: string): ValueSetTable | undefined;
  codeSystem(url: string): CodeSystem | undefined;
}

/** Codes that one expansion may go through, many times those of the largest value set that anybody writes. */
const mostWork = 2_000_000;

/** Works out the codes of value sets. A value set that is made of itself has none, and each is worked out once. */
export class Expansion {
  readonly #known = new Map<string, CodeSet | undefined>();
  #work = 0;

  constructor(private readonly definitions: Definitions) {}

  /** The codes of a value set; undefined when something that it is made of is not known, or it is too large. */
  of(url: string): CodeSet | undefined {
    if (this.#known.has(url)) return this.#known.get(url);
    this.#known.set(url, undefined);
    const definition = this.definitions.definition(url);
    const included = definition && this.#parts(definition.include);
    const excluded = included && this.#parts(definition.exclude ?? []);
    const codes = excluded && included.without(excluded);
    this.#known.set(url, codes);
    return codes;
  }

  #parts(parts: readonly ValueSetPart[]): CodeSet | undefined {
    const sets: CodeSet[] = [];
    for (const part of parts) {
      const codes = this.#part(part);
      if (!codes) return undefined;
      sets.push(codes);
    }
    return CodeSet.union(sets);
  }

  #part({ system, codes, filters = [], valueSets = [] }: ValueSetPart): CodeSet | undefined {
    let all = system === undefined ? undefined : this.#counted(this.#ofSystem(system, codes, filters));
    if (system !== undefined && !all) return undefined;
    for (const url of valueSets) {
      const each = this.#counted(this.of(url));
      if (!each) return undefined;
      all = all ? all.intersection(each) : each;
    }
    return all;
  }

  #ofSystem(
    url: string,
    codes: readonly string[] | undefined,
    filters: NonNullable<ValueSetPart['filters']>,
  ): CodeSet | undefined {
    const system = this.definitions.codeSystem(url);
    if (filters.length === 0)
      return codes ? CodeSet.of(url, codes) : system ? CodeSet.of(url, system.codes) : CodeSet.all(url);
    if (!system) return undefined;
    let all = CodeSet.of(url, codes ?? system.codes);
    for (const [relation, code] of filters) {
      const below = this.#counted(CodeSet.of(url, system.below(code)));
      if (!below || !this.#counted(all)) return undefined;
      const own = CodeSet.of(url, [code]);
      all =
        relation === 'is-not-a'
          ? all.without(below)
          : all.intersection(relation === 'is-a' ? below : below.without(own));
    }
    return all;
  }

  #counted(codes: CodeSet | undefined): CodeSet | undefined {
    this.#work += 1 + (codes?.size ?? 0);
    return this.#work > mostWork ? undefined : codes;
  }
}
