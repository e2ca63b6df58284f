import { searchParameters } from '@tributary/fhir-definitions';
import type { SortKey } from '@tributary/fhir-search';
import { type Kind, type Order, releaseOfKind, typeOfKind } from '@tributary/record-storage';

/** The order as the store can make it, or undefined when a key needs the content. */
export function storeOrder(kinds: readonly Kind[], sort: readonly SortKey[]): Order[] | undefined {
  const order: Order[] = [];
  for (const { by, parameter, descending } of sort) {
    if (by.kind === 'value') return undefined;
    if (by.kind === 'range')
      order.push({
        by: 'range',
        kind: by.rangeKind,
        name: by.name,
        repeats: kinds.some((kind) => mayRepeat(kind, parameter)),
        descending,
      });
    else order.push({ by: by.kind, descending });
  }
  return order;
}

/** Whether a resource may have several values for a search parameter; of one value the store finds the place faster. */
function mayRepeat(kind: Kind, parameter: string): boolean {
  const paths = searchParameters(releaseOfKind(kind), typeOfKind(kind)).get(parameter)?.paths ?? [];
  return paths.some(({ steps }) => steps.some(({ repeats, index }) => repeats && index === undefined));
}
