import { searchParameters } from '@tributary/fhir-definitions';
import type { SortKey } from '@tributary/fhir-search';
import { type TypeCode, type Order, releaseOfCode, typeOfCode } from '@tributary/record-storage';

/** The order for the query of the storage, or undefined when a sort key needs the content. */
export function indexOrder(typeCodes: readonly TypeCode[], sort: readonly SortKey[]): Order[] | undefined {
  const order: Order[] = [];
  for (const { by, parameter, descending } of sort) {
    if (by.kind === 'value') return undefined;
    if (by.kind === 'range')
      order.push({
        by: 'range',
        kind: by.rangeKind,
        name: by.name,
        repeats: typeCodes.some((typeCode) => mayRepeat(typeCode, parameter)),
        descending,
      });
    else order.push({ by: by.kind, descending });
  }
  return order;
}

/** Whether a resource may have several values for a search parameter. The query for a single value is faster. */
function mayRepeat(typeCode: TypeCode, parameter: string): boolean {
  const paths = searchParameters(releaseOfCode(typeCode), typeOfCode(typeCode)).get(parameter)?.paths ?? [];
  return paths.some(({ steps }) => steps.some(({ repeats, index }) => repeats && index === undefined));
}
