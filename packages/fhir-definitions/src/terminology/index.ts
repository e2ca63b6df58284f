import type { Release } from '../release';
import { codeSystemOf, type CodeSystem } from './code-system';
import type { TerminologyTables, ValueSetTable } from './terminology-tables';

export { codeSystemOf, type CodeSystem } from './code-system';
export type { CodeRelation, CodeTree, ValueSetPart, ValueSetTable } from './terminology-tables';

const loaded = new Map<Release, TerminologyTables>();
const codeSystems = new Map<string, CodeSystem>();

/** A code system that the release publishes whole, those of HL7 version 2 and 3 among them. */
export function releaseCodeSystem(release: Release, url: string): CodeSystem | undefined {
  const key = `${release}|${url}`;
  const known = codeSystems.get(key);
  if (known) return known;
  const { systems } = tablesOf(release);
  const tree = Object.hasOwn(systems, url) ? systems[url] : undefined;
  if (!tree) return undefined;
  const made = codeSystemOf(url, tree);
  codeSystems.set(key, made);
  return made;
}

/** What a value set of the release holds, if its codes can be told from what the release publishes. */
export function releaseValueSet(release: Release, url: string): ValueSetTable | undefined {
  const { valueSets } = tablesOf(release);
  const found = Object.hasOwn(valueSets, url) ? valueSets[url] : undefined;
  return typeof found === 'string' ? { include: [{ system: found }] } : found;
}

/** The urls of the value sets of the release whose codes are known. */
export function releaseValueSets(release: Release): string[] {
  return Object.keys(tablesOf(release).valueSets);
}

/** The tables are loaded when they are first asked for. */
function tablesOf(release: Release): TerminologyTables {
  let tables = loaded.get(release);
  if (!tables) {
    ({ tables } = require(`./tables/${release}`) as { tables: TerminologyTables });
    loaded.set(release, tables);
  }
  return tables;
}
