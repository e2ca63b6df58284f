import type { Release, SearchParameterType } from '@tributary/fhir-definitions';
import { parseDateTime, type JsonValue, type Resource } from '@tributary/fhir-json';
import type { RangeKind } from '../index/index-values';
import { dateName, numberName } from '../index/terms';
import { dateRangeOf, type Range } from '../values/date-range';
import { valuesAt } from '../values/element-paths';
import { fold } from '../values/folding';
import { numberRangeOf, quantityOf } from '../values/quantities';
import { referenceTexts } from '../values/references';
import { stringsOf } from '../values/string-values';
import { tokensOf, tokenTexts } from '../values/tokens';
import { resolveParameter, type ResolvedParameter } from './resolved-parameter';

/** One key of `_sort`: https://hl7.org/fhir/R4/search.html#sort. */
export interface SortKey {
  parameter: string;
  descending: boolean;
  /** The column or range by which the store orders; `value`: only the content has the key. */
  by:
    | { kind: 'last-updated' }
    | { kind: 'id' }
    | { kind: 'range'; name: string; rangeKind: RangeKind }
    | { kind: 'value' };
  /**
   * The key of a resource: its lowest value for ascending order, its highest for descending. Resources without one are
   * last.
   */
  valueOf(resource: Resource): string | number | undefined;
}

/** The key for a parameter in `_sort`. Undefined when no type has the parameter, or its values have no order. */
export function sortKey(
  release: Release,
  types: readonly string[],
  code: string,
  descending: boolean,
): SortKey | undefined {
  if (code === '_id') return { parameter: code, descending, by: { kind: 'id' }, valueOf: (resource) => resource.id };
  if (code === '_lastUpdated')
    return { parameter: code, descending, by: { kind: 'last-updated' }, valueOf: lastUpdated };
  const parameter = resolveParameter(release, types, code);
  if (!parameter || parameter.types.every(({ paths }) => paths.length === 0)) return undefined;
  return {
    parameter: code,
    descending,
    by: orderOf(parameter),
    valueOf: (resource) => valueOf(parameter, resource, descending),
  };
}

function lastUpdated(resource: Resource): number | undefined {
  return typeof resource.meta?.lastUpdated === 'string' ? parseDateTime(resource.meta.lastUpdated)?.low : undefined;
}

/** The store orders by the range of one element. Several elements, and texts, need the content. */
function orderOf(parameter: ResolvedParameter): SortKey['by'] {
  const names = new Set(parameter.types.flatMap(({ paths }) => paths.map(({ index }) => index.name)));
  const [name] = names;
  if (name === undefined || names.size > 1 || !parameter.types.every(({ covers }) => covers)) return { kind: 'value' };
  if (parameter.type === 'date') return { kind: 'range', name: dateName(name), rangeKind: 'date' };
  if (parameter.type === 'number' || parameter.type === 'quantity')
    return { kind: 'range', name: numberName(name), rangeKind: 'number' };
  return { kind: 'value' };
}

function valueOf(parameter: ResolvedParameter, resource: Resource, descending: boolean): string | number | undefined {
  const typed = parameter.types.find(({ type }) => type === resource.resourceType || type === 'Resource');
  let best: string | number | undefined;
  for (const path of typed?.definition.paths ?? []) {
    for (const value of valuesAt(path, resource)) {
      for (const key of keysOf(parameter.type, path.type, value, descending)) {
        if (best === undefined || (descending ? key > best : key < best)) best = key;
      }
    }
  }
  return best;
}

function keysOf(
  parameterType: SearchParameterType,
  type: string,
  value: JsonValue,
  descending: boolean,
): (string | number)[] {
  switch (parameterType) {
    case 'date':
      return endOf(dateRangeOf(type, value), descending);
    case 'number':
      return endOf(numberRangeOf(value), descending);
    case 'quantity':
      return endOf(quantityOf(type, value), descending);
    case 'string':
      return stringsOf(type, value).map(fold);
    case 'token': {
      const texts = tokenTexts(type, value);
      return (texts.length > 0 ? texts : tokensOf(type, value).flatMap(({ code }) => code ?? [])).map(fold);
    }
    case 'reference':
      return referenceTexts(type, value);
    default:
      return typeof value === 'string' ? [value] : [];
  }
}

function endOf(range: Range | undefined, descending: boolean): number[] {
  return range ? [descending ? range.high : range.low] : [];
}
