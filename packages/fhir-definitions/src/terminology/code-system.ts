import type { CodeTree } from './table-format';

/** The codes of a code system and their hierarchy: https://hl7.org/fhir/R4/codesystem.html#hierarchy. */
export interface CodeSystem {
  readonly url: string;
  readonly codes: ReadonlySet<string>;
  /** A code and all its descendants. */
  below(code: string): Set<string>;
  /** A code and all its ancestors. */
  above(code: string): Set<string>;
}

/** Creates a code system from a tree of codes. A code can have several parents. */
export function codeSystemOf(url: string, tree: CodeTree): CodeSystem {
  const codes = new Set<string>();
  const children = new Map<string, string[]>();
  const parents = new Map<string, string[]>();
  addCodes(tree, undefined, (code, parent) => {
    codes.add(code);
    if (parent === undefined) return;
    children.set(parent, [...(children.get(parent) ?? []), code]);
    parents.set(code, [...(parents.get(code) ?? []), parent]);
  });
  return { url, codes, below: (code) => reachable(code, children), above: (code) => reachable(code, parents) };
}

function addCodes(
  tree: CodeTree,
  parent: string | undefined,
  add: (code: string, parent: string | undefined) => void,
): void {
  let last: string | undefined;
  for (const each of tree) {
    if (typeof each === 'string') {
      add(each, parent);
      last = each;
    } else {
      addCodes(each, last, add);
    }
  }
}

/** Each code is visited once, so a cycle ends. */
function reachable(code: string, next: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set([code]);
  for (const each of found) for (const other of next.get(each) ?? []) found.add(other);
  return found;
}
