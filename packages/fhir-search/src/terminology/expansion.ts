import type { CodeSystem, ValueSetPart, ValueSetTable } from '@tributary/fhir-definitions';
import { CodeSet } from './code-set';

/** The definitions that value sets refer to. */
interface Definitions {
  definition(url: string): ValueSetTable | undefined;
  codeSystem(url: string): CodeSystem | undefined;
}

/** The maximum number of codes that one expansion processes; a multiple of the largest published value sets. */
const maxWork = 2_000_000;

/**
 * Expands value sets to their codes: https://hl7.org/fhir/R4/valueset.html#compose. Each value set is expanded once.
 * The codes of a value set that includes itself are unknown.
 */
export class Expansion {
  readonly #known = new Map<string, CodeSet | undefined>();
  #work = 0;

  constructor(private readonly definitions: Definitions) {}

  /** The codes of a value set. Undefined when a definition that it refers to is unknown, or it is too large. */
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
    return this.#work > maxWork ? undefined : codes;
  }
}
