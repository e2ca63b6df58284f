import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Sequence } from '../load/sequence';
import { fhirHeaders, get } from '../people/person';
import type { RecordTemplate, SearchedCode } from '../people/record-template';
import type { Figure } from '../report/figure';
import { goals } from '../report/goals';
import { callJson } from '../suite/http';
import type { BenchUser } from '../suite/users';
import type { BenchContext } from '../bench-context';
import { storeLines } from './ingest';
import { createOf } from './requests';

/** Observations in the records. */
const sizes = [300, 3000, 30_000] as const;
/** The time from one Observation to the next one. */
const everyMs = 7 * 3_600_000;
const firstAt = Date.UTC(2000, 0, 1);
const dayMs = 86_400_000;
const seconds = 2;
const differentDays = 40;
/** More than it takes to load an index. */
const loadingMs = 2000;
/** Observations that are stored last. */
const changed = 5;

interface SizedRecord {
  readonly user: BenchUser;
  readonly size: number;
  readonly rates: Map<string, number>;
}

/** Searches and creates in records of a few hundred to tens of thousands of Observations of the same kinds. */
export async function recordSizes(context: BenchContext, templates: readonly RecordTemplate[]): Promise<Figure[]> {
  const template = templates.find(({ valid }) => valid) ?? templates[0];
  const code = template?.codes[0];
  if (!template || !code) throw new Error('there are no Observations');
  const lines = template.lines.filter((line) => line.includes('"resourceType":"Observation"'));
  const users = await context.newUsers(sizes.length);
  const records: SizedRecord[] = [];
  for (const [at, size] of sizes.entries()) {
    const user = users[at] as BenchUser;
    await storeLines(context, user.userId, observations(lines, size));
    records.push({ user, size, rates: new Map() });
  }
  const since = new Date().toISOString();
  for (const { user } of records) await storeLines(context, user.userId, observations(lines, changed, 'changed'));
  for (const { user } of records) await loadIndex(context, user);
  for (const { user, size, rates } of records) {
    for (const [work, sequences] of works(user, code, lines[0] ?? '{}', size, since)) {
      const { rate, failures, firstFailure } = await context.measure(`${work} among ${size}`, sequences, { seconds });
      if (failures > 0) throw new Error(`${work}: ${failures} failed, the first: ${firstFailure ?? ''}`);
      rates.set(work, rate);
      context.log(`${work} among ${size}: ${Math.round(rate)}/s`);
    }
  }
  const [smallest, largest] = [records[0], records.at(-1)] as [SizedRecord, SizedRecord];
  return [...smallest.rates].map(([work, rate]) => ({
    scenario: 'sizes',
    work: `${work}, ${largest.size / smallest.size} times the record`,
    unit: '-fold',
    value: (largest.rates.get(work) ?? 0) / rate,
    goal: work === creating ? goals.createInLargeRecord : goals.searchInLargeRecord,
    note: records.map(({ size, rates }) => `${Math.round(rates.get(work) ?? 0)}/s among ${size}`).join(', '),
  }));
}

/** The second search loads the index of a large type into memory. */
async function loadIndex(context: BenchContext, user: BenchUser): Promise<void> {
  const url = `${context.origin}/r4/Observation?_count=1`;
  for (let search = 0; search < 2; search++) await callJson(z.unknown(), url, { headers: fhirHeaders(user) });
  await pause(loadingMs);
}

/** Observations of the same kinds, one after the other in time. */
function observations(lines: readonly string[], size: number, name = 'o'): string[] {
  return Array.from({ length: size }, (_, at) => {
    const { effectivePeriod: _period, ...observation } = JSON.parse(lines[at % lines.length] as string) as Record<
      string,
      unknown
    >;
    return JSON.stringify({ ...observation, id: `${name}-${at}`, effectiveDateTime: timeOf(at) });
  });
}

function timeOf(at: number): string {
  return new Date(firstAt + at * everyMs).toISOString();
}

const creating = 'create';

function works(user: BenchUser, code: SearchedCode, line: string, size: number, since: string): [string, Sequence[]][] {
  const token = encodeURIComponent(`${code.system}|${code.code}`);
  const day = (time: number): string => new Date(time).toISOString().slice(0, 10);
  const search = (query: string): Sequence[] => [[get(user, `/r4/Observation?${query}&_count=20&_total=accurate`)]];
  return [
    ['search by code', search(`code=${token}`)],
    ['search by code, newest first', search(`code=${token}&_sort=-date`)],
    [
      'search of two days',
      Array.from(
        { length: differentDays },
        (_, n) => firstAt + Math.floor((size * n) / differentDays) * everyMs,
      ).flatMap((from) => search(`date=ge${day(from)}&date=lt${day(from + 2 * dayMs)}`)),
    ],
    ['search by _lastUpdated', search(`_lastUpdated=ge${since}`)],
    ['newest first', search('_sort=-date')],
    [creating, [createOf(user, line)]],
  ];
}
