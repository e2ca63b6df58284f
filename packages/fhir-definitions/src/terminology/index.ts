import { perRelease } from '../per-release';
import type { Release } from '../release';
import { codeSystemOf, type CodeSystem } from './code-system';
import type { TerminologyTables, ValueSetTable } from './table-format';

export { codeSystemOf, type CodeSystem } from './code-system';
export type { CodeRelation, CodeTree, ValueSetPart, ValueSetTable } from './table-format';

const tablesOf = perRelease((release) => {
  const { tables } = require(`./tables/${release}`) as { tables: TerminologyTables };
  return tables;
});
const codeSystems = perRelease(() => new Map<string, CodeSystem>());

/** A code system that the release publishes with all its codes. Those of HL7 version 2 and 3 are among them. */
export function releaseCodeSystem(release: Release, url: string): CodeSystem | undefined {
  const known = codeSystems(release).get(url);
  if (known) return known;
  const { systems } = tablesOf(release);
  const tree = Object.hasOwn(systems, url) ? systems[url] : undefined;
  if (!tree) return undefined;
  const codeSystem = codeSystemOf(url, tree);
  codeSystems(release).set(url, codeSystem);
  return codeSystem;
}

/** The definition of a value set of the release. Undefined when the release does not publish all its codes. */
export function releaseValueSet(release: Release, url: string): ValueSetTable | undefined {
  const { valueSets } = tablesOf(release);
  const valueSet = Object.hasOwn(valueSets, url) ? valueSets[url] : undefined;
  return typeof valueSet === 'string' ? { include: [{ system: valueSet }] } : valueSet;
}
