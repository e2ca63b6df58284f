import type { RecordKeys } from '../keys/record-keys';
import { rangeEnd } from '../index-values/blinding';
import { bigintArray, smallintArray } from '../postgres/binary-arrays';
import type { Row } from '../postgres/statement';
import type { TypeCode } from '../type-codes';
import { Parameters } from './parameters';

/** A type whose resources are counted, and the names of their dates: the first one that a resource has counts. */
export interface DatedType {
  readonly typeCode: TypeCode;
  readonly dates: readonly string[];
}

/** The number of current resources of a type whose date begins on a day. */
export interface DayCount {
  readonly typeCode: TypeCode;
  /** Days in UTC since 1970-01-01; undefined for resources without a date, or whose date has no beginning. */
  readonly day: number | undefined;
  readonly count: number;
}

const dayMs = 86_400_000;
/** So many days before 1970 no date is, however a record shifts it: divisions of later ones round down. */
const origin = 104_000_000;

/**
 * The statement counts by days, and not by years: the beginnings of years would disclose the shift of the dates, while
 * its remainder in a day is apparent from the dates without a time.
 */
export function dayCountStatement(keys: RecordKeys, types: readonly DatedType[]): { text: string; values: unknown[] } {
  const parameters = new Parameters();
  const user = parameters.add(keys.userId, 'bigint');
  const typeCodes = parameters.add(smallintArray(types.map(({ typeCode }) => typeCode)), 'smallint[]');
  const ranks = Array.from({ length: Math.max(1, ...types.map(({ dates }) => dates.length)) }, (_, rank) => rank);
  // No range has the empty name.
  const names = ranks.map((rank) =>
    parameters.add(bigintArray(types.map(({ dates }) => keys.blindRangeName(dates[rank] ?? ''))), 'bigint[]'),
  );
  const open = parameters.add(rangeEnd(keys, 'date', -Infinity), 'bigint');
  const offset = parameters.add(origin * dayMs - (keys.dateShift - shiftedDays(keys) * dayMs), 'bigint');
  const lows = ranks.map((rank) => `nullif(r.ranges[array_position(r.ranges, w.date_${rank}) + 1], ${open})`);
  const text = `
    SELECT type_code, (low + ${offset}) / ${dayMs} AS day, count(*)::integer
    FROM (
      SELECT r.type_code, coalesce(${lows.join(', ')}) AS low
      FROM unnest(${[typeCodes, ...names].join(', ')}) AS w (type_code, ${ranks.map((rank) => `date_${rank}`).join(', ')})
      JOIN fhir_store.resource r ON r.user_id = ${user} AND r.type_code = w.type_code
    ) dated
    GROUP BY 1, 2`;
  return { text, values: parameters.values };
}

export function dayCountOf(keys: RecordKeys, [typeCode, day, count]: Row): DayCount {
  return {
    typeCode: typeCode as number,
    day: day === null ? undefined : Number(day) - origin - shiftedDays(keys),
    count: count as number,
  };
}

/** The whole days of the shift of a record. */
function shiftedDays({ dateShift }: RecordKeys): number {
  return Math.floor(dateShift / dayMs);
}
