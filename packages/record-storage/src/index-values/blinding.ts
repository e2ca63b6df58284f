import type { IndexValues, RangeKind } from '@tributary/fhir-search';
import type { RecordKeys } from '../keys/record-keys';
import { orderedDate, orderedNumber } from './ordered-numbers';

/** The search values of a resource as its index row contains them: `blind_terms` and `ranges`. */
export interface BlindedValues {
  readonly terms: bigint[];
  /** Flat triples: blinded name, low, high. */
  readonly ranges: bigint[];
}

/** Blinds all search values of a resource under the record's keys. */
export function blindValues(keys: RecordKeys, values: IndexValues): BlindedValues {
  const ranges: bigint[] = [];
  for (const { name, kind, low, high } of values.ranges) {
    ranges.push(keys.blindRangeName(name), rangeEnd(keys, kind, low), rangeEnd(keys, kind, high));
  }
  return { terms: values.terms.map((term) => keys.blindTerm(term)), ranges };
}

/** One end of a range as the index holds it; keeps the order of the ends of one type code. */
export function rangeEnd(keys: RecordKeys, kind: RangeKind, value: number): bigint {
  return kind === 'date' ? orderedDate(value, keys.dateShift) : orderedNumber(value);
}
