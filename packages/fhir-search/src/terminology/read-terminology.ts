import type { CodeSystem, Release, ValueSetTable } from '@tributary/fhir-definitions';
import { isLogicalId, type Resource } from '@tributary/fhir-json';
import { splitUnescaped, unescaped } from '../query/escapes';
import type { SearchPairs } from '../query/search-query';
import { SearchError } from '../search-error';
import { readCodeSystem, readValueSet } from './read-definitions';
import { releaseTerminology, Terminology } from './terminology';

/** Finds the resources of a record with this value of a search parameter, the latest first. */
export type FindDefinitions = (
  type: 'ValueSet' | 'CodeSystem',
  parameter: '_id' | 'url' | 'system',
  value: string,
) => Promise<Resource[]>;

interface NamedDefinition {
  /** The search parameter, for error messages. */
  readonly parameter: string;
  readonly url: string;
}

/** The maximum number of value sets and code systems that one search uses. */
const maxDefinitions = 100;

/**
 * Reads the terminology of a search. Value sets and code systems that `:in`, `:not-in`, `:above` and `:below` name, and
 * all that they refer to, are looked up in the record first and then in the release.
 * @throws SearchError when these are more than `maxDefinitions`
 */
export async function readTerminology(
  release: Release,
  pairs: SearchPairs,
  find: FindDefinitions,
  baseUrl?: string,
): Promise<Terminology> {
  const named = definitionsNamedIn(pairs);
  return named.valueSets.length + named.codeSystems.length === 0
    ? releaseTerminology(release)
    : new DefinitionReader(release, find, baseUrl).read(named.valueSets, named.codeSystems);
}

/** The value sets and code systems that the pairs of a search name, including those within `_filter`. */
function definitionsNamedIn(pairs: SearchPairs): { valueSets: NamedDefinition[]; codeSystems: NamedDefinition[] } {
  const valueSets: NamedDefinition[] = [];
  const codeSystems: NamedDefinition[] = [];
  for (const [parameter, value] of pairs) {
    const modifier = /:(in|not-in|above|below)$/.exec(parameter)?.[1];
    if (modifier === 'in' || modifier === 'not-in') {
      for (const url of splitUnescaped(value, ',')) valueSets.push({ parameter, url: unescaped(url) });
    } else if (modifier !== undefined) {
      for (const each of splitUnescaped(value, ','))
        codeSystems.push({ parameter, url: unescaped(splitUnescaped(each, '|')[0] ?? '') });
    } else if (parameter === '_filter') {
      for (const [, operator, quoted, plain] of value.matchAll(
        /\s(in|ni|ss|sb)\s+(?:"((?:[^"\\]|\\.)*)"|([^\s()"]+))/g,
      )) {
        const text = quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1');
        if (operator === 'in' || operator === 'ni') valueSets.push({ parameter, url: text });
        else codeSystems.push({ parameter, url: text.split('|')[0] ?? '' });
      }
    }
  }
  return { valueSets, codeSystems };
}

class DefinitionReader {
  readonly #valueSets = new Map<string, ValueSetTable | undefined>();
  readonly #codeSystems = new Map<string, CodeSystem>();
  readonly #seen = new Set<string>();

  constructor(
    private readonly release: Release,
    private readonly find: FindDefinitions,
    private readonly baseUrl: string | undefined,
  ) {}

  async read(valueSets: readonly NamedDefinition[], codeSystems: readonly NamedDefinition[]): Promise<Terminology> {
    const terminology = new Terminology(this.release, { valueSets: this.#valueSets, codeSystems: this.#codeSystems });
    const queue = [...valueSets];
    const systems = [...codeSystems];
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (!this.#isNew('ValueSet', next)) continue;
      await this.#readValueSet(next.url);
      const { include = [], exclude = [] } = terminology.definition(next.url) ?? {};
      for (const { system, codes, valueSets: inner = [] } of [...include, ...exclude]) {
        for (const url of inner) queue.push({ parameter: next.parameter, url });
        if (system !== undefined && !codes) systems.push({ parameter: next.parameter, url: system });
      }
    }
    for (const system of systems) {
      if (this.#isNew('CodeSystem', system) && !terminology.codeSystem(system.url))
        await this.#readCodeSystem(system.url);
    }
    return terminology;
  }

  #isNew(type: string, { parameter, url }: NamedDefinition): boolean {
    const key = `${type} ${url}`;
    if (url === '' || this.#seen.has(key)) return false;
    if (this.#seen.size === maxDefinitions)
      throw new SearchError(
        parameter,
        'invalid',
        `a search may use at most ${maxDefinitions} value sets and code systems`,
      );
    this.#seen.add(key);
    return true;
  }

  /** Reads a value set by id or reference, or else by its canonical URL, which can have a version. */
  async #readValueSet(written: string): Promise<void> {
    const local =
      this.baseUrl !== undefined && written.startsWith(`${this.baseUrl}/`)
        ? written.slice(this.baseUrl.length + 1)
        : written;
    const idOrUrl = local.replace(/^ValueSet\//, '');
    const id = isLogicalId(idOrUrl) ? idOrUrl : undefined;
    const [url = '', version] = written.split('|');
    const found = id === undefined ? await this.find('ValueSet', 'url', url) : await this.find('ValueSet', '_id', id);
    const held =
      version === undefined || id !== undefined ? found[0] : found.find((each) => each['version'] === version);
    if (held) this.#valueSets.set(written, readValueSet(held));
  }

  /** In DSTU2 a code system is part of the value set that defines it. */
  async #readCodeSystem(url: string): Promise<void> {
    const [held] =
      this.release === 'dstu2' ? await this.find('ValueSet', 'system', url) : await this.find('CodeSystem', 'url', url);
    const system = held && readCodeSystem(held);
    if (system?.url === url) this.#codeSystems.set(url, system);
  }
}
