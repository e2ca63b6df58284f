import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { healthSystemSearchResponse } from '@tributary/contracts';
import { runAdmin } from '@tributary/local';
import { z } from 'zod';
import type { Sequence } from '../load/sequence';
import { spread } from '../people/person';
import type { Figure } from '../report/figure';
import { goals } from '../report/goals';
import { repository } from '../suite/bench-suite';
import { bearer, callJson } from '../suite/http';
import { MemoryWatch, overTime } from '../suite/resident-memory';
import type { BenchContext } from '../bench-context';
import { bareQuery, fillBareDirectory } from './directory-data/bare-directory';
import { writeBundle } from './directory-data/brands-bundle';
import { typedQuery } from './directory-data/queries';
import { failuresOf, latencies } from './rates';

const source = 'bench';
const searchers = 20;
/** More queries than the cache of the service holds, so that every query is computed. */
const variety = 10_000;
const visibleWithinMs = 30_000;

const loaded = z.object({ total: z.int(), organizations: z.int(), endpoints: z.int(), seconds: z.number() });

/** Loads the directory of a whole country and searches it with typical queries. */
export async function directory(context: BenchContext): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-bench-'));
  try {
    const users = await context.newUsers(searchers);
    const search = new URL('/api/search', context.suite.running.ready.search_url).href;
    const headers = users.map(({ token }) => bearer(token));
    const countSystems = async (): Promise<number> =>
      (await callJson(healthSystemSearchResponse, search, { method: 'POST', headers: headers[0] ?? {} })).total;
    const before = await countSystems();
    const loading = await load(context, join(folder, `${source}.json`), async (total) => {
      const end = performance.now() + visibleWithinMs;
      while ((await countSystems()) < before + total) {
        if (performance.now() > end) throw new Error('searches do not return the loaded health systems');
        await pause(50);
      }
    });
    return [...loading, ...(await searches(context, search, headers))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
    if (!context.suite.own)
      await admin(context, ['directory', 'remove', source]).catch((error: unknown) =>
        context.log(`  the health systems of the benchmark remain in the directory: ${String(error)}`),
      );
  }
}

function admin(context: BenchContext, words: string[], onStart?: (pid: number) => void): Promise<string> {
  return runAdmin(repository, 'search', words, context.suite.running.environments['search'] ?? {}, onStart);
}

/** Loads a bundle by the operator's command, and waits until searches see it. */
async function load(
  context: BenchContext,
  path: string,
  untilVisible: (total: number) => Promise<void>,
): Promise<Figure[]> {
  const wanted = context.options.systems;
  await writeBundle(path, wanted);
  const megabytes = statSync(path).size / 1e6;
  context.log(`loading ${wanted} health systems, ${Math.round(megabytes)} MB`);
  let memory: MemoryWatch | undefined;
  const output = await admin(
    context,
    ['directory', 'load', path, '--source', source, '--mode', 'test', '--json'],
    (pid) => (memory = new MemoryWatch(pid)),
  ).finally(() => memory?.stop());
  const { total, organizations, endpoints, seconds } = loaded.parse(JSON.parse(output));
  if (total !== wanted) throw new Error(`${total} of ${wanted} health systems were loaded`);
  const committed = performance.now();
  await untilVisible(total);
  const visible = (performance.now() - committed) / 1000;
  const bare = total / (await fillBareDirectory(context.bare, wanted));
  const samples = (memory?.samples ?? []).filter((sample) => sample > 0);
  const most = Math.max(...samples);
  return [
    {
      scenario: 'directory',
      work: 'directory, health systems loaded',
      unit: '/s',
      value: total / seconds,
      bare,
      note: `${Math.round(megabytes)} MB with ${organizations} organizations and ${endpoints} endpoints in ${seconds.toFixed(1)} s, seen by searches ${visible.toFixed(1)} s later; bare: COPY of name and address, words indexed`,
    },
    {
      scenario: 'directory',
      work: "directory, loader's memory",
      unit: 'MB',
      value: most,
      goal: goals.directoryMemory,
      note: `resident: ${overTime(samples)}, for a bundle of ${Math.round(megabytes)} MB`,
    },
  ];
}

/** Measures the first pages of different queries. */
async function searches(context: BenchContext, address: string, headers: Record<string, string>[]): Promise<Figure[]> {
  const { origin, pathname } = new URL(address);
  const typed = spread(
    Array.from({ length: variety }, (_, number) => typedQuery(number, context.options.systems)),
    variety,
  );
  const sequences = typed.map((query, index): Sequence => [
    {
      method: 'POST',
      path: `${pathname}?query=${encodeURIComponent(query)}`,
      headers: headers[index % headers.length] ?? {},
      expect: 200,
    },
  ]);
  const ours = await context.measure('searches of the directory', sequences, { origin });
  context.log(`searches: ${Math.round(ours.rate)}/s, p99 ${ours.latencies.p99.toFixed(1)} ms`);
  const bare = await context.measureBare(typed.map(bareQuery));
  context.log(`  bare: ${Math.round(bare.rate)}/s`);
  const memory = new MemoryWatch(context.pidOf('search')).stop();
  const note = `${latencies(ours)}, bare ${latencies(bare)}; names, beginnings, typos, cities, postal codes, states; bare: text search of PostgreSQL, exact words; ${ours.processors}; resident memory of search ${Math.round(memory)} MB${failuresOf(ours)}`;
  return [
    {
      scenario: 'directory',
      work: 'directory, searches',
      unit: '/s',
      value: ours.rate,
      bare: bare.rate,
      processorMs: ours.millisecondsEach,
      bareProcessorMs: bare.millisecondsEach,
      note,
    },
    {
      scenario: 'directory',
      work: 'directory, searches, p99',
      unit: 'ms',
      value: ours.latencies.p99,
      bare: bare.latencies.p99,
      goal: goals.directoryP99,
    },
  ];
}
