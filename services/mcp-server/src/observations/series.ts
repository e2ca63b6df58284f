import { z } from 'zod';
import { noTime } from '../record/paging';
import type { MeasuredValue } from './read-measurements';

/** The results of one test in one unit, newest first. */
export interface Series {
  /** Test and unit, by which the series differ. */
  key: string;
  name: string;
  codes: readonly string[];
  unit: string | undefined;
  values: MeasuredValue[];
}

/**
 * Groups measurements by test and unit. Tests are distinguished by their first code, which is LOINC where there is one,
 * and by name where there is no code. Values in different units are never compared, and so are in different series.
 */
export function groupBySeries(values: readonly MeasuredValue[]): Series[] {
  const series = new Map<string, Series>();
  for (const value of values) {
    const { name, codes, unit } = value.entry;
    const code = codes.find((each) => each.startsWith('LOINC ')) ?? codes[0] ?? name.toLowerCase();
    const key = JSON.stringify([code, unit?.toLowerCase()]);
    const known = series.get(key);
    if (known) known.values.push(value);
    else series.set(key, { key, name, codes, unit, values: [value] });
  }
  for (const { values: own } of series.values()) own.sort((one, other) => sortTimeOf(other) - sortTimeOf(one));
  return [...series.values()];
}

/** The time by which values are sorted. */
export function sortTimeOf({ entry }: MeasuredValue): number {
  return entry.time ?? noTime;
}

export const trend = z.object({
  change: z.number().describe('The latest number minus the one before.'),
  percent: z.number().optional(),
  lowest: z.number(),
  highest: z.number(),
});
export type Trend = z.output<typeof trend>;

export const componentTrend = trend.extend({ name: z.string(), unit: z.string().optional() });

/** How the latest number differs from the one before, and the range of all; undefined with fewer than two numbers. */
export function trendOf({ values }: Series): Trend | undefined {
  return trendOfNumbers(values.flatMap(({ entry }) => entry.number ?? []));
}

/** The trends of the components, such as systolic and diastolic pressure. Different units are not compared. */
export function componentTrendsOf({ values }: Series): z.output<typeof componentTrend>[] {
  const groups = new Map<string, { name: string; unit: string | undefined; numbers: number[] }>();
  for (const { name, code, number, unit } of values.flatMap(({ entry }) => entry.components)) {
    if (number === undefined) continue;
    const key = JSON.stringify([code, unit?.toLowerCase()]);
    const known = groups.get(key);
    if (known) known.numbers.push(number);
    else groups.set(key, { name, unit, numbers: [number] });
  }
  return [...groups.values()].flatMap(({ name, unit, numbers }) => {
    const found = trendOfNumbers(numbers);
    return found ? [{ name, unit, ...found }] : [];
  });
}

/** @param numbers newest first */
function trendOfNumbers(numbers: readonly number[]): Trend | undefined {
  const [latest, previous] = numbers;
  if (latest === undefined || previous === undefined) return undefined;
  const change = rounded(latest - previous);
  return {
    change,
    percent: previous === 0 ? undefined : Math.round((change / Math.abs(previous)) * 1000) / 10,
    lowest: numbers.reduce((one, other) => Math.min(one, other)),
    highest: numbers.reduce((one, other) => Math.max(one, other)),
  };
}

/** Without the digits that binary arithmetic adds. */
function rounded(value: number): number {
  return Number(value.toPrecision(10));
}
