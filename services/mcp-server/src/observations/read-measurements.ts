import { releasesNewestFirst } from '@tributary/contracts';
import type { Period } from '../categories/list-entries';
import { escaped, hasCode, tokenOf } from '../fhir/concepts';
import { nodesAt, textAt } from '../fhir/json';
import { beginningOf } from '../fhir/values';
import { type Joined, joinReleases } from '../record/join-releases';
import { type Found, type ReleaseSearch, type SearchReading, readAll } from '../record/read-all';
import type { RecordApi } from '../record/record-api';
import { type Measurement, readMeasurement } from './measurement';

export type Group = 'laboratory' | 'vital signs';

export interface MeasurementFilter extends Period {
  /** A code, or a part of the name. */
  test?: string | undefined;
}

export type MeasuredValue = Joined<Measurement>;

export interface Measurements {
  values: MeasuredValue[];
  notes: string[];
}

/** How many Observations are read of each release and search, newest first, where the caller does not say. */
const maxObservations = 2000;

/** Vital signs of https://hl7.org/fhir/R4/observation-vitalsigns.html, with the codes of pressures and oximetry. */
const vitalCodes =
  '85353-1,9279-1,8867-4,2708-6,59408-5,8310-5,8302-2,9843-4,29463-7,3141-9,39156-5,85354-9,8480-6,8462-4,8478-0,8287-5,59576-9'.split(
    ',',
  );
const vitals: ReadonlySet<string> = new Set(vitalCodes);
/**
 * Categories that are neither laboratory results nor vital signs, of FHIR and of US Core
 * (https://hl7.org/fhir/R4/valueset-observation-category.html,
 * https://hl7.org/fhir/us/core/CodeSystem-us-core-category.html).
 */
const otherCategories =
  'social-history,survey,imaging,procedure,exam,therapy,activity,sdoh,functional-status,disability-status,cognitive-status,care-experience-preference,treatment-intervention-preference'.split(
    ',',
  );

/**
 * The measurements of a group in all releases, joined. Categories are not always stated: an Observation without one is
 * a vital sign by its code, and otherwise a laboratory result.
 */
export async function readMeasurements(
  api: RecordApi,
  group: Group,
  filter: MeasurementFilter,
  limit = maxObservations,
): Promise<Measurements> {
  const { readings, reported } = await readAll(api, searchesOf(group, filter), limit, (page) =>
    page.map((each) => ({
      time: searchTimeOf(each),
      measurement: belongsTo(group, each) ? readMeasurement(each) : undefined,
    })),
  );
  const cut = oldestComplete(readings);
  const read = readings.flatMap(({ items }) => items.flatMap(({ measurement }) => measurement ?? []));
  // Several searches can find the same Observation.
  const distinct = [...new Map(read.map((each) => [each.reference, each])).values()];
  const inWindow = distinct.filter(({ time }) => cut === undefined || (time !== undefined && time >= cut));
  return {
    values: joinReleases(inWindow),
    notes: [
      ...(cut === undefined
        ? []
        : [
            `Only results from ${new Date(cut).toISOString().slice(0, 10)} on were read, because there are more than can be read at once. Call again with until, since or test for older ones.`,
          ]),
      ...reported,
    ],
  };
}

function searchesOf(group: Group, { test, since, until }: MeasurementFilter): ReleaseSearch[] {
  const common = new URLSearchParams({ _sort: '-date' });
  if (since !== undefined) common.append('date', `ge${since}`);
  if (until !== undefined) common.append('date', `le${until}`);
  const tests = test === undefined ? [[]] : searchesOfTest(test).map((parameter) => [parameter]);
  const categories: [string, string][][] =
    group === 'laboratory'
      ? [['vital-signs', ...otherCategories].map((category) => ['category:not', category])]
      : [
          [['category', 'vital-signs']],
          [
            ['category:missing', 'true'],
            ['code', vitalCodes.join(',')],
          ],
        ];
  return releasesNewestFirst.flatMap((release) =>
    categories.flatMap((category) =>
      tests.map((one) => ({
        release,
        type: 'Observation',
        query: new URLSearchParams([...category, ...common, ...one]).toString(),
      })),
    ),
  );
}

/**
 * The parameters of searches for a test, of which an Observation matches any. One word can be a part of a name, or a
 * local code.
 */
function searchesOfTest(test: string): [string, string][] {
  const token = tokenOf(test);
  if (token !== undefined) return [['code', token]];
  if (/^[\d.-]+$/.test(test)) return [['code', escaped(test)]];
  const byText: [string, string] = ['code:text', escaped(test)];
  return /\s/.test(test) ? [byText] : [['code', escaped(test)], byText];
}

function belongsTo(group: Group, { resource }: Found): boolean {
  const hasVitalCode = hasCode(nodesAt(resource, 'code'), vitals);
  const isVital =
    hasCode(nodesAt(resource, 'category'), new Set(['vital-signs'])) ||
    (nodesAt(resource, 'category').length === 0 && hasVitalCode);
  return group === 'vital signs' ? isVital : !isVital;
}

/** The date by which the searches are sorted. */
function searchTimeOf({ resource }: Found): number | undefined {
  return beginningOf(textAt(resource, 'effectiveDateTime') ?? textAt(resource, 'effectivePeriod', 'start'));
}

/**
 * The time from which on every search was read to its end; older results would be those of some searches only.
 * Undefined when nothing was cut off.
 */
function oldestComplete(readings: readonly SearchReading<{ time: number | undefined }>[]): number | undefined {
  const oldest = readings
    .filter(({ cutOff }) => cutOff !== undefined)
    .map(({ items }) => items.reduce((before, { time = before }) => Math.min(before, time), Infinity))
    .filter(Number.isFinite);
  return oldest.length === 0 ? undefined : Math.max(...oldest);
}
