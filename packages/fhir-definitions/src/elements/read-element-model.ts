import type { Release } from '../release';
import type {
  ElementBinding,
  ElementDefinition,
  ElementModel,
  ElementProperty,
  ElementType,
  ElementTypeUse,
} from './element-model';
import type { ElementTables, TypeTable } from './table-format';

/** Reads the element model from the tables of a release. A type is parsed by the first call for it. */
export function readElementModel(release: Release, tables: ElementTables): ElementModel {
  const table = new Map(Object.entries(tables.types));
  const types = new Map<string, ElementType>();
  const bindings = new Map<string, ElementBinding>();

  function type(name: string): ElementType | undefined {
    const known = types.get(name);
    if (known) return known;
    const row = table.get(name);
    if (!row) return undefined;
    const made = readType(name, row, row.base === undefined ? undefined : type(row.base), binding);
    types.set(name, made);
    return made;
  }

  function binding(valueSet: string): ElementBinding {
    const known = bindings.get(valueSet);
    if (known) return known;
    const made = readBinding(valueSet, tables.valueSets[valueSet] ?? {});
    bindings.set(valueSet, made);
    return made;
  }

  return {
    release,
    version: tables.version,
    type,
    isSubtype(name, ancestor) {
      for (let current: string | undefined = name; current !== undefined; current = table.get(current)?.base) {
        if (current === ancestor) return true;
      }
      return false;
    },
  };
}

function readType(
  name: string,
  row: TypeTable,
  base: ElementType | undefined,
  binding: (valueSet: string) => ElementBinding,
): ElementType {
  const elements = new Map(base?.elements);
  for (const [elementName, text] of Object.entries(row.elements ?? {})) {
    const element = readElement(elementName, text, binding);
    elements.set(element.name, element);
  }
  const properties = new Map<string, ElementProperty>();
  for (const element of elements.values()) {
    for (const use of element.types)
      properties.set(element.choice ? element.name + capitalized(use.code) : element.name, { element, type: use });
  }
  return {
    name,
    kind: row.kind,
    abstract: row.abstract ?? false,
    ...(row.base !== undefined && { base: row.base }),
    ...(row.pattern !== undefined && { pattern: row.pattern }),
    elements,
    properties,
    summary: new Set(row.summary?.split(' ')),
  };
}

/** Parses an element: "0..* Reference(Patient,Group)|string =value-set". */
function readElement(name: string, text: string, binding: (valueSet: string) => ElementBinding): ElementDefinition {
  const [cardinality = '', types = '', valueSet] = text.split(' ');
  const [min, max] = cardinality.split('..');
  const choice = name.endsWith('[x]');
  return {
    name: choice ? name.slice(0, -'[x]'.length) : name,
    choice,
    min: Number(min),
    max: max === '*' ? Infinity : Number(max),
    types: types.split('|').map(readTypeUse),
    ...(valueSet !== undefined && { binding: binding(valueSet.slice('='.length)) }),
  };
}

function readTypeUse(text: string): ElementTypeUse {
  const [code = '', targets] = text.replace(')', '').split('(');
  if (targets !== undefined) return { code, targets: targets.split(',') };
  const [plain = '', profile] = code.split(':');
  return profile === undefined ? { code } : { code: plain, profile };
}

function readBinding(valueSet: string, bySystem: Readonly<Record<string, readonly string[]>>): ElementBinding {
  const systems = new Map(Object.entries(bySystem).map(([system, codes]) => [system, new Set(codes)]));
  const codes = new Set(Object.values(bySystem).flat());
  return systems.has('') ? { valueSet, codes } : { valueSet, codes, systems };
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
